//! What every part stands on: the stub, nginx as the rival, and a database with accounts.

use std::{
    cell::OnceCell,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Result;

use super::{
    Options, free_port,
    nginx::{self, Ports, Site},
    process::Running,
    programs,
    store::Store,
};
use crate::shell;

/// Accounts of the database, unless a part is about their number.
pub(crate) const ACCOUNTS: usize = 10_000;

pub(crate) struct Stage {
    pub(crate) options: Options,
    /// The release that is measured.
    pub(crate) binary: PathBuf,
    /// Another one, to compare with.
    pub(crate) against: Option<PathBuf>,
    pub(crate) wrk: PathBuf,
    pub(crate) nginx: PathBuf,
    /// Where all files are.
    pub(crate) folder: PathBuf,
    pub(crate) stub: Running,
    pub(crate) stub_ports: Ports,
    pub(crate) rival: Running,
    pub(crate) rival_ports: Ports,
    store: OnceCell<Store>,
}

impl Stage {
    pub(crate) fn open(
        options: Options,
        binary: PathBuf,
        against: Option<PathBuf>,
    ) -> Result<Self> {
        let [wrk, nginx] = programs::needed()?;
        let folder = shell::root().join("target/bench");
        fs::create_dir_all(&folder)?;
        let ports = || -> Result<Ports> {
            Ok(Ports {
                http1: free_port()?,
                http2: free_port()?,
            })
        };
        let (stub_ports, rival_ports) = (ports()?, ports()?);
        let stub = nginx::start(&nginx, &folder.join("stub"), stub_ports, &Site::Stub)?;
        let site = Site::AddsBearer(stub_ports.http1);
        let rival = nginx::start(&nginx, &folder.join("nginx"), rival_ports, &site)?;
        Ok(Self {
            options,
            binary,
            against,
            wrk,
            nginx,
            folder,
            stub,
            stub_ports,
            rival,
            rival_ports,
            store: OnceCell::new(),
        })
    }

    /// A file with [`ACCOUNTS`], made when a part first needs it.
    pub(crate) fn store(&self) -> Result<&Store> {
        if let Some(store) = self.store.get() {
            return Ok(store);
        }
        let store = self.make_store("store", &self.binary, None, ACCOUNTS)?;
        Ok(self.store.get_or_init(|| store))
    }

    /// Another one.
    pub(crate) fn make_store(
        &self,
        name: &str,
        binary: &Path,
        url: Option<String>,
        accounts: usize,
    ) -> Result<Store> {
        let folder = self.folder.join(name);
        Store::make(binary, &folder, url, (self.stub_ports.http1, accounts))
    }
}
