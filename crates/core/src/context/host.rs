//! This process: its time, tasks, randomness, IDs and metrics.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use uuid::Uuid;

use super::tasks::Tasks;
use crate::{
    metrics::Metrics,
    ports::{Entropy, Runtime},
    store::StoreClock,
};

/// This process: its time, tasks, randomness, IDs and metrics.
pub(crate) struct Host {
    pub(crate) runtime: Arc<dyn Runtime>,
    pub(crate) entropy: Arc<dyn Entropy>,
    clock: StoreClock,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) tasks: Tasks,
    /// ID of this process in leases and totals. Others can ask the spool whether the process has ended.
    pub(crate) process: Uuid,
    pub(super) counter: AtomicU32,
    /// Seed for the IDs of calls.
    seed: u64,
}

impl Host {
    pub(super) fn new(
        runtime: Arc<dyn Runtime>,
        entropy: Arc<dyn Entropy>,
        clock: StoreClock,
        metrics: Arc<Metrics>,
    ) -> Self {
        let mut process = [0; 16];
        entropy.fill(&mut process);
        let mut seed = [0; 8];
        entropy.fill(&mut seed);
        Self {
            clock,
            metrics,
            runtime,
            entropy,
            tasks: Tasks::default(),
            process: uuid::Builder::from_random_bytes(process).into_uuid(),
            counter: AtomicU32::new(0),
            seed: u64::from_ne_bytes(seed),
        }
    }

    /// The store's time. Processes with different clocks agree on it.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }
    pub(crate) fn monotonic(&self) -> Duration {
        self.runtime.monotonic()
    }

    /// Returns a new ID. IDs are ordered by time, and within a process by creation.
    pub(crate) fn new_id(&self) -> Uuid {
        let mut random = [0; 8];
        self.entropy.fill(&mut random);
        self.next_id(self.counter.fetch_add(1, Ordering::Relaxed), random)
    }

    /// A new ID for a call, without a system call. Someone who knows many such IDs may guess others.
    pub(crate) fn new_call_id(&self) -> Uuid {
        let count = self.counter.fetch_add(1, Ordering::Relaxed);
        // An odd factor maps counters to different numbers and scatters them.
        let scattered = u64::from(count).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.next_id(count, self.seed.wrapping_add(scattered).to_be_bytes())
    }

    fn next_id(&self, count: u32, random: [u8; 8]) -> Uuid {
        let mut bytes = [0; 10];
        bytes[..2].copy_from_slice(&(count & 0xfff).to_be_bytes()[2..]);
        bytes[2..].copy_from_slice(&random);
        let millis = u64::try_from(self.now().as_millisecond()).unwrap_or_default();
        uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
    }

    /// A new secret of 256 bits, in URL-safe characters.
    pub(crate) fn new_secret(&self, prefix: &str) -> SecretString {
        use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
        let mut bytes = zeroize::Zeroizing::new([0; 32]);
        self.entropy.fill(bytes.as_mut_slice());
        SecretString::from(format!(
            "{prefix}{}",
            URL_SAFE_NO_PAD.encode(bytes.as_slice())
        ))
    }

    /// A new secret that secret scanners can recognize. It ends with six more characters: the CRC-32 of the text before
    /// them, in base 62.
    pub(crate) fn new_checked_secret(&self, prefix: &str) -> SecretString {
        const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let secret = self.new_secret(prefix);
        let mut crc = flate2::Crc::new();
        crc.update(secret.expose_secret().as_bytes());
        let mut rest = crc.sum();
        let mut checksum = ['0'; 6];
        for place in checksum.iter_mut().rev() {
            *place = char::from(DIGITS[(rest % 62) as usize]);
            rest /= 62;
        }
        let checksum: String = checksum.iter().collect();
        SecretString::from(format!("{}{checksum}", secret.expose_secret()))
    }
}
