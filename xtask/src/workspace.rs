//! Where things are: the workspace's root, its build folder, the optional shared data.

use std::env;
use std::path::{Path, PathBuf};

/// The folders that tasks read and write.
pub(crate) struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace that this program was built from.
    pub(crate) fn find() -> Self {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self {
            root: package.parent().unwrap_or(package).to_path_buf(),
        }
    }

    /// The folder of the workspace's `Cargo.toml`.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Cargo's build folder, where everything that can be made again belongs.
    pub(crate) fn target(&self) -> PathBuf {
        match env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => self.root.join(folder),
            None => self.root.join("target"),
        }
    }

    /// The folder of the large data sets, which the project does not carry: present on some machines only.
    pub(crate) fn shared_data(&self) -> Option<PathBuf> {
        let folder = self.root.join("../shared/data");
        folder.is_dir().then_some(folder)
    }
}
