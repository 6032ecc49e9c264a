//! Files that appear whole or not at all.
//!
//! A file is written under a hidden name in the same folder, flushed to the disk, and then renamed.
//! Whoever looks sees the old file or the new one, never half of one; a killed process leaves at
//! most the hidden `.part` file. A process locks its `.part` file, so that a later one can tell what was left behind from
//! what is being written, and removes it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::error::{Error, Result, shown};

/// A file that takes its name when [`commit`](Self::commit) is called, and vanishes when it is not.
#[derive(Debug)]
pub struct AtomicFile {
    writer: Option<BufWriter<File>>,
    /// The hidden file; `None` for a device or a pipe, which is written directly.
    temporary: Option<PathBuf>,
    target: PathBuf,
    name: String,
}

/// Numbers the files that one process has open at a time.
static NEXT: AtomicU64 = AtomicU64::new(0);

impl AtomicFile {
    /// Begins a file that will be called `path`. An existing one stays as it is until the commit.
    pub fn create(path: &Path) -> Result<Self> {
        let name = shown(path);
        // A link keeps pointing where it points: what it points to is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let existing = fs::metadata(&target).ok();
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(Error::content(
                name,
                "this is a folder, a file name was expected",
            ));
        }
        let folder = target.parent().filter(|folder| *folder != Path::new(""));
        if let Some(folder) = folder.filter(|folder| !folder.exists()) {
            let problem = format!("the folder {} does not exist", shown(folder));
            return Err(Error::content(name, problem));
        }
        // Renaming over a device such as /dev/null would replace the device.
        let special = existing.as_ref().is_some_and(|found| !found.is_file());
        let temporary = if special {
            None
        } else {
            Some(hidden_name(&target)?)
        };
        let opened = match &temporary {
            Some(hidden) => {
                remove_leftovers(&target);
                OpenOptions::new().write(true).create_new(true).open(hidden)
            }
            None => OpenOptions::new().write(true).open(&target),
        };
        let file = opened.map_err(|error| Error::io(&name, "cannot write", &error))?;
        if temporary.is_some() {
            // Where files cannot be locked, nothing is certain about leftovers, and none are removed.
            let _ = file.try_lock();
        }
        if let (Some(found), Some(hidden)) = (existing, &temporary) {
            // Best effort: where it fails, the new file has the usual permissions.
            let _ = fs::set_permissions(hidden, found.permissions());
        }
        Ok(Self {
            writer: Some(BufWriter::with_capacity(1 << 16, file)),
            temporary,
            target,
            name,
        })
    }

    /// Writes out what is buffered, waits for the disk, and gives the file its name.
    pub fn commit(mut self) -> Result<()> {
        let failed = |error: io::Error| Error::io(&self.name, "cannot write", &error);
        let Some(writer) = self.writer.take() else {
            return Ok(());
        };
        let file = writer
            .into_inner()
            .map_err(|error| failed(error.into_error()))?;
        let Some(hidden) = &self.temporary else {
            return Ok(());
        };
        file.sync_all().map_err(failed)?;
        drop(file);
        fs::rename(hidden, &self.target).map_err(failed)?;
        self.temporary = None;
        sync_folder(&self.target);
        Ok(())
    }

    fn writer(&mut self) -> io::Result<&mut BufWriter<File>> {
        self.writer
            .as_mut()
            .ok_or_else(|| io::Error::other("the file is closed"))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer()?.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.writer()?.seek(to)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // Windows removes only closed files. `into_parts` closes without writing what is left.
        if let Some(writer) = self.writer.take() {
            drop(writer.into_parts());
        }
        if let Some(hidden) = self.temporary.take() {
            let _ = fs::remove_file(hidden);
        }
    }
}

/// Writes a whole file under its name, or leaves everything as it was.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)
        .map_err(|error| Error::io(shown(path), "cannot write", &error))?;
    file.commit()
}

fn hidden_name(target: &Path) -> Result<PathBuf> {
    let Some(start) = hidden_start(target) else {
        return Err(Error::content(shown(target), "this is not a file name"));
    };
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let hidden = format!("{start}{}-{number}{HIDDEN_END}", std::process::id());
    Ok(target.with_file_name(hidden))
}

/// How the hidden names of a file end.
const HIDDEN_END: &str = ".part";

/// How they begin: the number of the process follows.
fn hidden_start(target: &Path) -> Option<String> {
    let name = target.file_name()?.to_string_lossy();
    Some(format!(".{name}.charta-"))
}

/// Removes what processes that were killed left of the same file: no living process holds a lock on it.
fn remove_leftovers(target: &Path) {
    let folder = target.parent().filter(|folder| *folder != Path::new(""));
    let (Some(start), Ok(entries)) = (
        hidden_start(target),
        fs::read_dir(folder.unwrap_or(Path::new("."))),
    ) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(process) = name
            .to_str()
            .and_then(|name| name.strip_prefix(&start)?.strip_suffix(HIDDEN_END))
            .and_then(|numbers| numbers.split_once('-')?.0.parse::<u32>().ok())
        else {
            continue;
        };
        if process == std::process::id() {
            continue;
        }
        let is_left = |file: &File| file.metadata().is_ok_and(|found| is_old(&found));
        if let Ok(file) = OpenOptions::new().write(true).open(entry.path())
            && is_left(&file)
            && file.try_lock().is_ok()
        {
            drop(file);
            // Best effort: what cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// False for a file of the last seconds: its process may be about to lock it.
fn is_old(found: &fs::Metadata) -> bool {
    let age = found.modified().ok().and_then(|time| time.elapsed().ok());
    age.is_some_and(|age| age >= Duration::from_secs(2))
}

/// Makes the rename itself survive a power cut, where folders can be flushed.
fn sync_folder(target: &Path) {
    #[cfg(unix)]
    if let Some(folder) = target.parent() {
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        if let Ok(handle) = File::open(folder) {
            let _ = handle.sync_all();
        }
    }
    #[cfg(not(unix))]
    let _ = target;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_name_appears_only_at_the_commit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()).len(), 2);
        assert!(names(folder.path())[0].starts_with(".out.csv.charta-"));
        file.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["out.csv"]);
    }

    #[test]
    fn dropping_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_being_written_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let put = |name: &str| {
            let file = File::create(folder.path().join(name)).unwrap();
            let long_ago = std::time::SystemTime::now() - Duration::from_secs(60);
            file.set_modified(long_ago).unwrap();
            file
        };
        let others = [".other.csv.charta-1-0.part", ".out.csv.charta-x-0.part"];
        for name in others {
            put(name);
        }
        put(".out.csv.charta-999999-2.part");
        let living = put(".out.csv.charta-999998-0.part");
        living.lock().unwrap();
        write_atomically(&path, b"new").unwrap();
        let left = [
            others[0],
            ".out.csv.charta-999998-0.part",
            others[1],
            "out.csv",
        ];
        assert_eq!(names(folder.path()), left);
        drop(living);
        write_atomically(&path, b"newer").unwrap();
        assert_eq!(names(folder.path()), [others[0], others[1], "out.csv"]);
    }

    #[test]
    fn a_folder_or_a_missing_folder_is_a_clear_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = AtomicFile::create(folder.path()).unwrap_err().to_string();
        assert!(
            error.ends_with("this is a folder, a file name was expected"),
            "{error}"
        );
        let error = write_atomically(&folder.path().join("no/out.csv"), b"x").unwrap_err();
        assert!(error.to_string().ends_with("no does not exist"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_survive() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write_atomically(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        write_atomically(Path::new("/dev/null"), b"x").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
