//! The address guard of the web tools: what is looked up is checked, and what was checked is what is connected to.
use std::fmt;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Url;

use crate::settings::{IsInternal, Settings};

/// Looks up the addresses of a name.
pub trait Lookup: Send + Sync {
    /// All addresses of `host`.
    fn lookup(&self, host: String) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send>>;
}

/// The system's own look-up.
pub struct System;

/// Why a host is not connected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused(pub String);

/// Decides which hosts may be connected to. It is the client's resolver, so there is no second look-up after the check.
#[derive(Clone)]
pub struct Guard {
    lookup: Arc<dyn Lookup>,
    is_internal: IsInternal,
    allow_internal: bool,
}

/// A look-up that takes longer is given up.
const TIMEOUT: Duration = Duration::from_secs(5);

impl Guard {
    /// A guard that lets nothing internal through.
    pub fn new(lookup: Arc<dyn Lookup>, is_internal: IsInternal) -> Self {
        Self { lookup, is_internal, allow_internal: false }
    }

    /// Checks what can be checked of a URL without a look-up: scheme, host, an address in any spelling.
    pub fn check(&self, url: &Url) -> Result<(), Refused> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refused(format!("only http and https URLs are fetched, not `{}`", url.scheme().escape_debug())));
        }
        let Some(host) = url.host_str() else {
            return Err(Refused("the URL has no host; give one such as `https://example.com/`".to_owned()));
        };
        match self.internal(host) {
            Some(why) => Err(refused(host, why)),
            None => Ok(()),
        }
    }

    fn internal(&self, host: &str) -> Option<&'static str> {
        (self.is_internal)(host).filter(|_| !self.allow_internal)
    }

    /// The addresses of a host, if every one of them may be connected to.
    async fn addresses(self, host: String) -> Result<Vec<SocketAddr>, Refused> {
        let shown = host.escape_debug().to_string();
        let found = tokio::time::timeout(TIMEOUT, self.lookup.lookup(host)).await;
        let found = found.map_err(|_| Refused(format!("looking up `{shown}` took longer than {} seconds", TIMEOUT.as_secs())))?;
        let found = found.map_err(|_| Refused(format!("the host `{shown}` was not found; check its spelling")))?;
        for address in &found {
            if let Some(why) = self.internal(&address.to_string()) {
                return Err(refused(&format!("{shown}` at `{address}"), why));
            }
        }
        if found.is_empty() {
            return Err(Refused(format!("the host `{shown}` has no address; check its spelling")));
        }
        Ok(found.into_iter().map(|address| SocketAddr::new(address, 0)).collect())
    }
}

impl From<&Settings> for Guard {
    /// The guard with the system's look-up.
    fn from(settings: &Settings) -> Self {
        let Settings { is_internal, allow_internal, .. } = *settings;
        Self { lookup: Arc::new(System), is_internal, allow_internal }
    }
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let (guard, host) = (self.clone(), name.as_str().to_owned());
        Box::pin(async move {
            let found = guard.addresses(host).await?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

impl Lookup for System {
    fn lookup(&self, host: String) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

fn refused(host: &str, why: &str) -> Refused {
    Refused(format!("`{host}` is {why}, which the web tools do not connect to; start the server with `--allow-internal` if that is wanted"))
}
