//! A pooler that runs each transaction on another connection of the server.

use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use crate::{REQUIRED, Server, as_user, make_folder};

const PORT: u16 = 6432;

/// PgBouncer in front of a server. Each transaction gets one of two connections per database. Stops with this program.
#[derive(Debug)]
pub struct Pooler {
    folder: PathBuf,
    _keeper: Child,
}

impl Pooler {
    /// Starts a pooler. `None` if PgBouncer isn't installed.
    pub fn start(server: &Server) -> Option<Self> {
        let path = env::var_os("PATH").unwrap_or_default();
        let mut folders = env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
        let Some(program) = folders.find_map(|folder| {
            let program = folder.join("pgbouncer");
            program.is_file().then_some(program)
        }) else {
            assert!(
                env::var_os(REQUIRED).is_none(),
                "there is no PgBouncer: install the package pgbouncer"
            );
            println!("left out: there is no PgBouncer; install the package pgbouncer");
            return None;
        };
        let folder = server.folder().join("pooler");
        let file = folder.join("pgbouncer.ini");
        // The server has two connections per database, which the store's connections take turns to use.
        let settings = format!(
            "[databases]\n* = host={} user=stead\n[pgbouncer]\nlisten_addr =\nlisten_port = {PORT}\nunix_socket_dir = {}\n\
             auth_type = any\npool_mode = transaction\ndefault_pool_size = 2\nmax_client_conn = 1000\nserver_idle_timeout = 5\n",
            server.folder().display(),
            folder.display()
        );
        make_folder(&folder);
        fs::write(&file, settings).unwrap();
        // Like the server, it stops with this program. It prints a line when it listens.
        let socket = folder.join(format!(".s.PGSQL.{PORT}"));
        let keep = "\"$0\" -q \"$1\" > /dev/null & while kill -0 $! && ! [ -S \"$2\" ]; do sleep 0.01; done; \
                    [ -S \"$2\" ] && echo up; exec > /dev/null; cat; kill $!";
        let mut keeper = as_user(Command::new("sh"))
            .args(["-c", keep])
            .args([&program, &file, &socket])
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut said = String::new();
        let output = keeper.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut said).unwrap();
        assert_eq!(said, "up\n", "the pooler does not start");
        Some(Self {
            folder,
            _keeper: keeper,
        })
    }

    /// The URL of a database.
    pub fn url(&self, database: &str) -> String {
        let folder = self.folder.display();
        format!("postgres://stead@localhost:{PORT}/{database}?host={folder}")
    }
}
