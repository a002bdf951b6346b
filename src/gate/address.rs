//! Which hosts and addresses are not on the public internet: shared by the gate's private-address finding and the built-in web tools.
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};
use url::{Host, Url};

/// IPv4 blocks of the IANA special-purpose registry (RFC 6890 and its successors) that are not globally reachable, with the word
/// that a person reads. The metadata services of clouds come first because they lie within wider blocks.
const BLOCKS_4: &[(Ipv4Addr, u8, &str)] = &[
    (Ipv4Addr::new(169, 254, 169, 254), 32, "a cloud metadata address"),
    (Ipv4Addr::new(169, 254, 170, 2), 32, "a cloud metadata address"),
    (Ipv4Addr::new(100, 100, 100, 200), 32, "a cloud metadata address"),
    (Ipv4Addr::new(168, 63, 129, 16), 32, "a cloud metadata address"),
    (Ipv4Addr::new(192, 0, 0, 192), 32, "a cloud metadata address"),
    (Ipv4Addr::new(0, 0, 0, 0), 8, "an address of this host"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "a private address"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "a shared (carrier) address"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "a loopback address"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "a link-local address"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "a private address"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "a reserved address"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "a documentation address"),
    (Ipv4Addr::new(192, 31, 196, 0), 24, "a reserved address"),
    (Ipv4Addr::new(192, 52, 193, 0), 24, "a reserved address"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a 6to4 relay address"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "a private address"),
    (Ipv4Addr::new(192, 175, 48, 0), 24, "a reserved address"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "a benchmarking address"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "a documentation address"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "a documentation address"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "a multicast address"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "a reserved address"),
];

/// The same for IPv6. Forms that carry an IPv4 address (mapped, compatible, 6to4, NAT64, Teredo) are refused as a whole: no public
/// service is reached by them, and what they carry may be anything.
const BLOCKS_6: &[(Ipv6Addr, u8, &str)] = &[
    (Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), 128, "a cloud metadata address"),
    (Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254), 128, "a cloud metadata address"),
    (Ipv6Addr::LOCALHOST, 128, "a loopback address"),
    (Ipv6Addr::UNSPECIFIED, 128, "an address of this host"),
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96, "an IPv4-mapped address"),
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0, 0, 0), 8, "a reserved address"),
    (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 32, "a NAT64 address"),
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 8, "a reserved address"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32, "a Teredo address"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "a reserved address"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "a documentation address"),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "a 6to4 address"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "a documentation address"),
    (Ipv6Addr::new(0x5f00, 0, 0, 0, 0, 0, 0, 0), 16, "a reserved address"),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "a private address"),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "a link-local address"),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, "a site-local address"),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "a multicast address"),
];

/// Names that lead to this machine or to a cloud's metadata service on every machine.
const NAMES: &[(&str, &str)] = &[
    ("localhost", "a loopback name"),
    ("localhost6", "a loopback name"),
    ("localhost.localdomain", "a loopback name"),
    ("ip6-localhost", "a loopback name"),
    ("ip6-loopback", "a loopback name"),
    ("loopback", "a loopback name"),
    ("broadcasthost", "a name of the local network"),
    ("metadata", "a cloud metadata name"),
    ("metadata.google.internal", "a cloud metadata name"),
    ("metadata.goog", "a cloud metadata name"),
    ("instance-data", "a cloud metadata name"),
    ("instance-data.ec2.internal", "a cloud metadata name"),
    ("host.docker.internal", "a name of the container host"),
    ("gateway.docker.internal", "a name of the container host"),
    ("host.containers.internal", "a name of the container host"),
    ("kubernetes", "a cluster name"),
    ("kubernetes.default", "a cluster name"),
    ("kubernetes.default.svc", "a cluster name"),
];

/// Domains below which nothing is public (RFC 6761, 6762, 7686, 8375), and public names that are known to answer with loopback.
const DOMAINS: &[(&str, &str)] = &[
    (".localhost", "a loopback name"),
    (".localdomain", "a name of the local network"),
    (".local", "a name of the local network"),
    (".internal", "a name of a private network"),
    (".home.arpa", "a name of the local network"),
    (".cluster.local", "a cluster name"),
    (".localtest.me", "a name that leads to loopback"),
    (".lvh.me", "a name that leads to loopback"),
    (".vcap.me", "a name that leads to loopback"),
    (".lacolhost.com", "a name that leads to loopback"),
];

/// Services that answer with the address written in the name (`10.0.0.1.nip.io`).
const ADDRESS_IN_NAME: &[&str] = &[".nip.io", ".sslip.io", ".xip.io", ".nip.io.", ".traefik.me"];

/// Why the address is not public, or nothing if it is.
pub fn ip_is_private(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => private_4(address),
        IpAddr::V6(address) => private_6(address),
    }
}

/// Why the host is not public, or nothing if nothing speaks against it. Takes a name or an address in any spelling that resolvers
/// and browsers accept: decimal, octal, hex and short IPv4, brackets, zone ids, trailing dots, wide digits. A host that cannot be
/// read counts as private unless it ends in an ordinary domain, because someone else may be able to read it.
pub fn host_is_private(host: &str) -> Option<&'static str> {
    let host = host.trim().trim_start_matches('[').trim_end_matches(']');
    let host = host.split(['%']).next().filter(|_| host.contains(':')).unwrap_or(host);
    if let Ok(address) = host.parse::<IpAddr>() {
        return ip_is_private(address);
    }
    let bare = host.trim_end_matches('.');
    if bare.is_empty() {
        return Some("a host that is empty");
    }
    match Host::parse(bare) {
        Ok(Host::Ipv4(address)) => private_4(address),
        Ok(Host::Ipv6(address)) => private_6(address),
        Ok(Host::Domain(name)) if is_ordinary_name(&name) => name_is_private(name.trim_end_matches('.')),
        // Braces and the like: some clients expand them (curl), so only the domain at the end says anything
        _ => name_is_private(&bare.to_lowercase()).or_else(|| unreadable(bare)),
    }
}

/// Why the host of a URL is not public. A URL without a host names none; one that cannot be parsed is judged by what stands where
/// its host would.
pub fn url_is_private(url: &str) -> Option<&'static str> {
    let text = url.trim();
    let written = written_host(text);
    let parsed = Url::parse(text).ok();
    let from_parsed = parsed.as_ref().and_then(Url::host_str).and_then(host_is_private);
    let is_network = |scheme: &str| matches!(scheme, "http" | "https" | "ws" | "wss" | "ftp");
    match (&parsed, written) {
        (Some(url), _) if !url.has_host() && is_network(url.scheme()) => Some("a host that is empty"),
        (Some(url), _) if is_network(url.scheme()) => from_parsed,
        // Programs differ in how they read the host of other schemes and of broken URLs: the stricter reading counts
        (_, Some(host)) if !host.is_empty() => from_parsed.or_else(|| host_is_private(host)),
        _ => from_parsed,
    }
}

/// What stands between `//` and the next `/`, without user and port.
fn written_host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("//")?;
    let authority = rest.split(['/', '\\', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    if host.starts_with('[') {
        return host.split_inclusive(']').next();
    }
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => Some(name),
        _ => Some(host),
    }
}

fn private_4(address: Ipv4Addr) -> Option<&'static str> {
    let holds = |block: &&(Ipv4Addr, u8, &str)| Ipv4Net::new(block.0, block.1).is_ok_and(|net| net.contains(&address));
    BLOCKS_4.iter().find(holds).map(|block| block.2)
}

fn private_6(address: Ipv6Addr) -> Option<&'static str> {
    if let Some(carried) = carried_4(address)
        && let Some(reason) = private_4(carried)
    {
        return Some(reason);
    }
    let holds = |block: &&(Ipv6Addr, u8, &str)| Ipv6Net::new(block.0, block.1).is_ok_and(|net| net.contains(&address));
    BLOCKS_6.iter().find(holds).map(|block| block.2)
}

/// The IPv4 address that an IPv6 one carries, so that the reason names what is really reached.
fn carried_4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [first, second, third, .., seventh, eighth] = address.segments();
    let join = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match (first, second) {
        (0x2002, _) => Some(join(second, third)),
        (0x64, 0xff9b) => Some(join(seventh, eighth)),
        _ => address.to_ipv4_mapped(),
    }
}

fn name_is_private(name: &str) -> Option<&'static str> {
    if let Some((_, reason)) = NAMES.iter().find(|(listed, _)| *listed == name) {
        return Some(reason);
    }
    let below = |domain: &str| name.ends_with(domain) || domain.strip_prefix('.') == Some(name);
    if let Some((_, reason)) = DOMAINS.iter().find(|(domain, _)| below(domain)) {
        return Some(reason);
    }
    let inner = ADDRESS_IN_NAME.iter().find_map(|service| name.strip_suffix(service))?;
    address_in_name(inner)
}

/// An address written in a name, with dots or hyphens: `10.0.0.1`, `app-10-0-0-1`, `0a000001`.
fn address_in_name(inner: &str) -> Option<&'static str> {
    let numbers: Vec<&str> = inner.split(['.', '-']).collect();
    let dotted = numbers.windows(4).find_map(|four| four.join(".").parse::<Ipv4Addr>().ok().and_then(private_4));
    let hex = |word: &&str| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let as_hex = |word: &str| u32::from_str_radix(word, 16).ok().map(Ipv4Addr::from).and_then(private_4);
    dotted.or_else(|| numbers.iter().copied().filter(|word| hex(word)).find_map(as_hex))
}

fn is_ordinary_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}

/// A host that no parser of ours reads: harmless if it ends in an ordinary domain, whose owner cannot point a literal at us.
fn unreadable(host: &str) -> Option<&'static str> {
    let ordinary = |label: &str| label.len() >= 2 && label.bytes().all(|byte| byte.is_ascii_alphabetic());
    match host.rsplit_once('.') {
        Some((_, last)) if ordinary(last) => None,
        _ => Some("a host that cannot be read"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRIVATE: &[&str] = &[
        "127.0.0.1",
        "127.1",
        "0x7f000001",
        "2130706433",
        "017700000001",
        "0",
        "0.0.0.0",
        "127.0.0.1.",
        "127.0.0.1..",
        "0177.0.0.1",
        "0x7f.1",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "169.254.1.1",
        "100.64.0.1",
        "100.127.255.255",
        "100.100.100.200",
        "192.0.0.8",
        "192.0.2.1",
        "198.18.0.1",
        "198.51.100.7",
        "203.0.113.9",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "192.88.99.1",
        "[::1]",
        "::1",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:8.8.8.8]",
        "[::127.0.0.1]",
        "[fe80::1%25eth0]",
        "fe80::1%eth0",
        "[fc00::1]",
        "[fd00:ec2::254]",
        "[fec0::1]",
        "[ff02::1]",
        "[2001:db8::1]",
        "[2002:7f00:1::]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b:1::1]",
        "[100::1]",
        "[3fff::1]",
        "[2001::1]",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "metadata.google.internal",
        "db.internal",
        "printer.local",
        "１２７.0.0.1",
        "①②⑦.0.0.1",
        "127.0.0.1.nip.io",
        "app-10-0-0-1.sslip.io",
        "7f000001.nip.io",
        "localtest.me",
        "x.lvh.me",
        "%31%32%37.0.0.1",
        "1.2.3.4.5",
        "{host}",
        "",
    ];
    const PUBLIC: &[&str] = &[
        "8.8.8.8",
        "1.1.1.1",
        "example.com",
        "172.32.0.1",
        "100.63.255.255",
        "100.128.0.1",
        "[2606:4700::1111]",
        "api.github.com",
        "localhost.example.com",
        "internal.example.com",
        "8.8.8.8.nip.io",
        "{region}.example.com",
        "münchen.example",
        "192.0.1.1",
    ];

    #[test]
    fn knows_private_hosts_in_every_spelling() {
        for host in PRIVATE {
            assert!(host_is_private(host).is_some(), "{host}");
        }
        for host in PUBLIC {
            assert_eq!(host_is_private(host), None, "{host}");
        }
    }

    #[test]
    fn reads_the_host_of_a_url_as_clients_do() {
        for url in [
            "http://127.0.0.1:8080/x",
            "http://user:pw@localhost/",
            "https://example.com@127.0.0.1/",
            "http:\\\\127.0.0.1\\x",
            "http://[::1]:80/",
            "http:127.0.0.1",
            "http:/127.0.0.1/",
            "HTTP://0x7f.1",
            "redis://localhost:6379",
            "postgres://u:p@10.0.0.5/db",
            "http://127.0.0.{1,2}/",
            "http://[::1",
            "gopher://127.1/",
            "http://exa mple@127.0.0.1/",
            "ws://metadata.google.internal/",
            "http://1\t27.0.0.1/",
        ] {
            assert!(url_is_private(url).is_some(), "{url}");
        }
        for url in [
            "https://example.com/127.0.0.1",
            "https://example.com/?u=http://localhost/",
            "mailto:a@localhost",
            "data:text/plain,x",
            "urn:isbn:1",
            "file:///etc/passwd",
            "s3://bucket/key",
            "https://api.example.com/{id}",
            "not a url",
        ] {
            assert_eq!(url_is_private(url), None, "{url}");
        }
    }

    #[test]
    fn names_what_it_is() {
        assert_eq!(host_is_private("169.254.169.254"), Some("a cloud metadata address"));
        assert_eq!(host_is_private("[2002:7f00:1::]"), Some("a loopback address"));
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in ".{0,60}") {
            let _ = (host_is_private(&text), url_is_private(&text));
        }

        #[test]
        fn spellings_of_one_address_agree(raw in proptest::num::u32::ANY) {
            let address = Ipv4Addr::from(raw);
            let [a, b, c, d] = address.octets();
            let wanted = ip_is_private(IpAddr::V4(address));
            for text in [format!("{raw}"), format!("0x{raw:x}"), format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"), format!("{a}.{b}.{}", u32::from(c) * 256 + u32::from(d)), format!("{address}.")] {
                proptest::prop_assert_eq!(host_is_private(&text), wanted, "{}", text);
            }
        }
    }
}
