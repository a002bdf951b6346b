//! Which file systems may keep a look-up waiting: those that another machine or another program answers for.
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long a reading of the mount table holds; a mount that comes later is seen by then.
const HOLDS: Duration = Duration::from_secs(1);

/// Kinds that the kernel answers for by itself. What is not here (NFS, CIFS, FUSE, 9P, automount points, anything new) may wait.
const LOCAL: &[&str] = &[
    "bcachefs",
    "binfmt_misc",
    "bpf",
    "btrfs",
    "cgroup",
    "cgroup2",
    "configfs",
    "debugfs",
    "devpts",
    "devtmpfs",
    "efivarfs",
    "exfat",
    "ext2",
    "ext3",
    "ext4",
    "f2fs",
    "fusectl",
    "hugetlbfs",
    "iso9660",
    "mqueue",
    "ntfs3",
    "overlay",
    "proc",
    "pstore",
    "ramfs",
    "securityfs",
    "squashfs",
    "sysfs",
    "tmpfs",
    "tracefs",
    "vfat",
    "xfs",
    "zfs",
];

/// The places where a file system is mounted that may wait.
#[derive(Debug, Default)]
pub struct Mounts {
    waiting: HashSet<PathBuf>,
}

static LAST: Mutex<Option<(Instant, Arc<Mounts>)>> = Mutex::new(None);

impl Mounts {
    /// The mounts of this process, at most a second old; `None` where the system has no table to read.
    pub fn current() -> Option<Arc<Self>> {
        let mut last = LAST.lock().ok()?;
        if let Some((_, mounts)) = last.as_ref().filter(|(read, _)| read.elapsed() < HOLDS) {
            return Some(Arc::clone(mounts));
        }
        let mounts = Arc::new(Self::from_table(&fs::read_to_string("/proc/self/mountinfo").ok()?)?);
        *last = Some((Instant::now(), Arc::clone(&mounts)));
        Some(mounts)
    }

    /// Whether looking at `place` (absolute, without `..`) may wait for another machine or program.
    pub fn may_wait(&self, place: &Path) -> bool {
        self.waiting.contains(place)
    }

    /// Reads a table in the form of `proc_pid_mountinfo(5)`; `None` if a line is not understood.
    pub(super) fn from_table(table: &str) -> Option<Self> {
        let mut waiting = HashSet::new();
        for line in table.lines() {
            let (mount, kind) = line.split_once(" - ")?;
            let place = mount.split(' ').nth(4)?;
            if !LOCAL.contains(&kind.split(' ').next()?) {
                waiting.insert(PathBuf::from(unescaped(place)?));
            }
        }
        Some(Self { waiting })
    }
}

/// A mount point as it is, from the table's octal escapes.
fn unescaped(text: &str) -> Option<String> {
    let mut pieces = text.split('\\');
    let mut plain = pieces.next()?.to_owned();
    for piece in pieces {
        let code = u8::from_str_radix(piece.get(..3)?, 8).ok()?;
        plain.push(char::from(code));
        plain.push_str(piece.get(3..)?);
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "22 1 252:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n\
        30 22 0:41 / /srv/far\\040away rw - nfs4 server:/x rw\n\
        31 22 0:42 / /run/user/1/doc rw shared:9 - fuse.portal portal rw\n\
        32 22 0:43 / /proc/sys/fs/binfmt_misc rw - autofs systemd-1 rw\n";

    #[test]
    fn what_may_wait_is_known_from_the_table() {
        let mounts = Mounts::from_table(TABLE).unwrap();
        let mut waiting: Vec<_> = mounts.waiting.iter().map(|place| place.to_str().unwrap()).collect();
        waiting.sort_unstable();
        assert_eq!(waiting, ["/proc/sys/fs/binfmt_misc", "/run/user/1/doc", "/srv/far away"]);
        assert!(Mounts::from_table("no table").is_none());
    }
}
