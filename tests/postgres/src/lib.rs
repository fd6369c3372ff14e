//! A PostgreSQL server for one program, in a folder that's removed with it, and a pooler in front of it.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "what is left out is told")]

mod pooler;

pub use pooler::Pooler;

use std::{
    env, fs,
    os::unix::{
        fs::{MetadataExt as _, chown},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

/// If this variable is set, a missing PostgreSQL fails the test instead of skipping it.
pub const REQUIRED: &str = "STEAD_TEST_POSTGRES";

/// The user (nobody) that runs the server if the tests run as root. PostgreSQL refuses to run as root.
const UNPRIVILEGED: u32 = 65534;

/// A server, and the process that stops it.
#[derive(Debug)]
pub struct Server {
    folder: PathBuf,
    programs: PathBuf,
    /// Waits until this program ends in any way. Then stops the server and removes the folder.
    _keeper: Child,
}

impl Server {
    /// The server that this program shares. `None` if PostgreSQL isn't installed.
    pub fn shared() -> Option<&'static Self> {
        static SERVER: OnceLock<Option<Server>> = OnceLock::new();
        SERVER.get_or_init(Self::start).as_ref()
    }

    /// Starts a server that the test may stop and restart. `None` if PostgreSQL isn't installed.
    pub fn start() -> Option<Self> {
        let server = Self::prepare()?;
        server.up();
        Some(server)
    }

    /// Prepares a server without starting it. `None` if PostgreSQL isn't installed.
    pub fn prepare() -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let Some(programs) = programs() else {
            assert!(
                env::var_os(REQUIRED).is_none(),
                "there is no PostgreSQL: install the package postgresql"
            );
            println!("left out: there is no PostgreSQL; install the package postgresql");
            return None;
        };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // A socket's path can have at most 107 bytes.
        let folder = env::temp_dir().join(format!("stead-pg-{}-{number}", std::process::id()));
        make_folder(&folder);
        let keep = "cat > /dev/null; \"$0/pg_ctl\" -D \"$1/data\" -m immediate stop; rm -rf \"$1\"";
        let keeper = as_user(Command::new("sh"))
            .args(["-c", keep])
            .args([&programs, &folder])
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let server = Self {
            folder,
            programs,
            _keeper: keeper,
        };
        // A collation that doesn't sort texts by their bytes, because the tables must do that themselves.
        let data = server.folder.join("data");
        let data = data.to_str().unwrap();
        server.run(
            "initdb",
            &[
                "-D",
                data,
                "-U",
                "stead",
                "-A",
                "trust",
                "--no-sync",
                "-E",
                "UTF8",
                "--locale=C.UTF-8",
                "--locale-provider=icu",
                "--icu-locale=en-US",
            ],
        );
        let settings = format!(
            "listen_addresses = ''\nunix_socket_directories = '{}'\nfsync = off\nfull_page_writes = off\n\
             max_connections = 200\nlog_line_prefix = '%d '\n",
            server.folder.display()
        );
        let file = server.folder.join("data/postgresql.auto.conf");
        fs::write(file, settings).unwrap();
        Some(server)
    }

    /// Starts the server.
    pub fn up(&self) {
        let (data, log) = (self.folder.join("data"), self.folder.join("log"));
        let (data, log) = (data.to_str().unwrap(), log.to_str().unwrap());
        self.run(
            "pg_ctl",
            &["-D", data, "-l", log, "-w", "-t", "60", "start"],
        );
    }

    /// Stops the server: `immediate` like a crash, `fast` normally.
    pub fn down(&self, how: &str) {
        let data = self.folder.join("data");
        self.run(
            "pg_ctl",
            &["-D", data.to_str().unwrap(), "-m", how, "-w", "stop"],
        );
    }

    /// Runs a program of PostgreSQL and waits for it.
    pub fn run(&self, program: &str, arguments: &[&str]) {
        let output = as_user(Command::new(self.programs.join(program)))
            .args(arguments)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            // The server would keep an inherited pipe open.
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        assert!(output.unwrap().success(), "{program} {arguments:?}\n{log}");
    }

    /// Whether the server has logged this about a database.
    pub fn logged(&self, database: &str, what: &str) -> bool {
        let log = fs::read_to_string(self.folder.join("log")).unwrap();
        let of_database = |line: &&str| line.starts_with(&format!("{database} "));
        log.lines()
            .filter(of_database)
            .any(|line| line.contains(what))
    }

    /// Returns the rows of a statement, one per line, with `|` between the columns.
    ///
    /// # Errors
    /// The server's message, or why there is none.
    pub fn query(&self, database: &str, sql: &str) -> Result<Vec<String>, String> {
        let folder = self.folder.to_str().unwrap();
        let output = Command::new(self.programs.join("psql"))
            .args(["-h", folder, "-U", "stead", "-d", database])
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// The server's folder, which is removed with it.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Creates an empty database. Returns its name.
    pub fn database(&self) -> String {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("stead{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let folder = self.folder.to_str().unwrap();
        let arguments = ["-h", folder, "-U", "stead", "-T", "template0", &name];
        self.run("createdb", &arguments);
        name
    }

    /// The URL of a database.
    pub fn url(&self, database: &str) -> String {
        format!(
            "postgres://stead@localhost/{database}?host={}",
            self.folder.display()
        )
    }
}

/// The folder of PostgreSQL's programs, which Debian keeps out of the path.
fn programs() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    folders.extend(versions.flatten().map(|version| version.path().join("bin")));
    let complete = |folder: &PathBuf| {
        ["initdb", "pg_ctl", "postgres", "createdb", "psql"]
            .iter()
            .all(|name| folder.join(name).is_file())
    };
    folders.into_iter().find(complete)
}

/// Creates a folder that belongs to the user that runs the server.
pub(crate) fn make_folder(folder: &Path) {
    fs::create_dir(folder).unwrap();
    if is_root() {
        chown(folder, Some(UNPRIVILEGED), Some(UNPRIVILEGED)).unwrap();
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
}

/// Runs a command as a user that PostgreSQL accepts.
pub fn as_user(mut command: Command) -> Command {
    if is_root() {
        command.uid(UNPRIVILEGED).gid(UNPRIVILEGED);
    }
    command
}
