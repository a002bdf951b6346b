//! Which file systems may keep a look-up waiting: those that another machine or another program answers for.
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
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

    /// Reads a table in the form of `proc_pid_mountinfo(5)`; `None` if a line is not understood.
    fn from_table(table: &str) -> Option<Self> {
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

/// What an entry on the way is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// A plain entry: the way goes on.
    Plain,
    /// Missing: the way ends, and nothing behind it can be looked at.
    End,
    /// A mount that may wait, a link that could lead to one, or something that cannot be told.
    Bar,
}

/// The ways to the paths of one call. Paths share most of their way, so each entry is asked for once.
#[derive(Debug)]
pub struct Ways<'a> {
    mounts: &'a Mounts,
    seen: HashMap<PathBuf, Step>,
}

impl<'a> Ways<'a> {
    /// Nothing asked yet.
    pub fn new(mounts: &'a Mounts) -> Self {
        Self { mounts, seen: HashMap::new() }
    }

    /// Whether a look-up of `path` passes no such mount and no link, which could lead to one. A path that ends early because an entry is
    /// missing passes only what is there.
    pub fn are_clear_to(&mut self, path: &str) -> bool {
        let mut way = PathBuf::new();
        for part in Path::new(path).components() {
            match part {
                Component::RootDir | Component::Normal(_) => way.push(part),
                Component::CurDir => continue,
                Component::ParentDir | Component::Prefix(_) => return false,
            }
            match self.step(&way) {
                Step::Plain => {}
                Step::End => return true,
                Step::Bar => return false,
            }
        }
        way.has_root()
    }

    fn step(&mut self, way: &Path) -> Step {
        if let Some(step) = self.seen.get(way) {
            return *step;
        }
        let step = if way.has_root() && !self.mounts.waiting.contains(way) { look(way) } else { Step::Bar };
        self.seen.insert(way.to_owned(), step);
        step
    }
}

fn look(way: &Path) -> Step {
    match fs::symlink_metadata(way) {
        Ok(found) if found.is_symlink() => Step::Bar,
        Ok(_) => Step::Plain,
        Err(problem) if ends_here(problem.kind()) => Step::End,
        Err(_) => Step::Bar,
    }
}

fn ends_here(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename)
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

    #[test]
    fn a_way_with_a_link_a_climb_or_such_a_mount_is_not_plain() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("far")).unwrap();
        fs::write(root.join("file"), "").unwrap();
        std::os::unix::fs::symlink("file", root.join("link")).unwrap();
        let mounts = Mounts { waiting: HashSet::from([root.join("far")]) };
        let plain = |name: &str| Ways::new(&mounts).are_clear_to(root.join(name).to_str().unwrap());
        assert!(plain("file") && plain("missing/below") && plain("file/below") && plain(&"x".repeat(1_000)));
        assert!(!plain("link") && !plain("far") && !plain("far/file") && !plain("far/../file") && !plain("link/below"));
        let mut ways = Ways::new(&mounts);
        assert!(!ways.are_clear_to("~nobody/x") && !ways.are_clear_to("") && !ways.are_clear_to("file"));
    }
}
