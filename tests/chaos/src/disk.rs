//! A disk that a run can fill.

use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, ensure};

/// A small temporary disk. Dropping it unmounts it.
pub(crate) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts a small disk at a folder. `None` if this user may not mount.
    pub(crate) fn mount(folder: &Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=24m", "tmpfs"]);
        let status = mount.arg(folder).status().ok()?;
        status.success().then(|| Self(folder.to_owned()))
    }

    pub(crate) fn remount(&self, mode: &str) -> Result<()> {
        let mut mount = Command::new("mount");
        mount.args(["-o", &format!("remount,{mode}")]);
        let status = mount.arg(&self.0).status()?;
        ensure!(status.success(), "remount: {status}");
        Ok(())
    }

    pub(crate) fn fill(&self) -> Result<()> {
        let mut file = File::create(self.0.join("filling"))?;
        for size in [1 << 20, 1 << 12, 1] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
        Ok(())
    }

    pub(crate) fn empty(&self) -> Result<()> {
        Ok(fs::remove_file(self.0.join("filling"))?)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
