//! The suite through PgBouncer, which gives each transaction another connection of the server.

use std::{
    env, fs,
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use stead_core::store::Store;
use stead_store::PostgresStore;
use stead_testkit::runtime::ManualClock;

use crate::server::{REQUIRED, Server, as_user, make_folder};

const PORT: u16 = 6432;

/// A pooler before the server, which ends with this program.
struct Pooler {
    folder: PathBuf,
    _keeper: Child,
}

impl Pooler {
    async fn start(server: &Server) -> Option<Self> {
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
        // Two connections of the server for each database, so that those of the store take turns on them.
        let settings = format!(
            "[databases]\n* = host={} user=stead\n[pgbouncer]\nlisten_addr =\nlisten_port = {PORT}\nunix_socket_dir = {}\n\
             auth_type = any\npool_mode = transaction\ndefault_pool_size = 2\nmax_client_conn = 200\n",
            server.folder().display(),
            folder.display()
        );
        make_folder(&folder);
        fs::write(&file, settings).unwrap();
        // It ends when this program does, as the server does.
        let keep = "\"$0\" -q \"$1\" & cat > /dev/null; kill $!";
        let keeper = as_user(Command::new("sh"))
            .args(["-c", keep])
            .args([&program, &file])
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let socket = folder.join(format!(".s.PGSQL.{PORT}"));
        let up = async {
            while !socket.exists() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let up = tokio::time::timeout(Duration::from_secs(20), up).await;
        up.expect("the pooler starts");
        Some(Self {
            folder,
            _keeper: keeper,
        })
    }

    fn url(&self, database: &str) -> String {
        let folder = self.folder.display();
        format!("postgres://stead@localhost:{PORT}/{database}?host={folder}")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_passes_behind_a_pooler_of_transactions() {
    let Some(server) = Server::shared() else {
        return;
    };
    let Some(pooler) = Pooler::start(server).await else {
        return;
    };
    stead_testkit::store::suite(async || {
        let url = pooler.url(&server.database().await);
        let store = PostgresStore::open(&url, Arc::new(ManualClock::default())).await;
        Arc::new(store.unwrap()) as Arc<dyn Store>
    })
    .await;
}
