//! Options for the number of calls in flight.

use clap::Args;
use stead_core::environment::CallLimits;

/// Limits of the calls in flight. Stead refuses more calls immediately.
#[derive(Debug, Args)]
#[command(next_help_heading = "Calls")]
pub(crate) struct CallLimitArgs {
    /// Most calls in flight. The next call gets 503 with the kind overloaded.
    #[arg(long, value_name = "NUMBER", default_value_t = CallLimits::default().calls, value_parser = at_least_one::<u32>)]
    max_calls: u32,

    /// Most calls in flight to one product. A product that doesn't respond then can't block the others.
    #[arg(long, value_name = "NUMBER", default_value_t = CallLimits::default().calls_per_product, value_parser = at_least_one::<u32>)]
    max_calls_per_product: u32,

    /// Most calls in flight of one connection.
    #[arg(long, value_name = "NUMBER", default_value_t = CallLimits::default().calls_per_connection, value_parser = at_least_one::<u32>)]
    max_calls_per_connection: u32,

    /// Most requests of one account that wait for its rate limit. The next one gets 429.
    #[arg(long, value_name = "NUMBER", default_value_t = CallLimits::default().waiting_per_account)]
    max_waiting_per_account: u32,

    /// Most bytes that calls may use in memory. Each call counts 64 KiB, the size of its parsed input in memory, and
    /// twice the size of its response.
    #[arg(long, value_name = "BYTES", default_value_t = CallLimits::default().bytes)]
    max_call_bytes: u64,
}

/// A limit as an argument. A limit of 0 would refuse every request.
pub(crate) fn at_least_one<T: TryFrom<u32>>(text: &str) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| String::from("expected a whole number of at least 1"))
}

impl From<&CallLimitArgs> for CallLimits {
    fn from(args: &CallLimitArgs) -> Self {
        let mut limits = Self::default();
        limits.calls = args.max_calls;
        limits.calls_per_product = args.max_calls_per_product;
        limits.calls_per_connection = args.max_calls_per_connection;
        limits.waiting_per_account = args.max_waiting_per_account;
        limits.bytes = args.max_call_bytes;
        limits
    }
}
