//! The steps of the demo: consent, every tool, expiry, revocation.

use std::{cell::Cell, rc::Rc};

use http::StatusCode;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use stead::{Client, ErrorKind, Stead};
use stead_core::{
    error::ActBy,
    product::Product,
    resource::{AccountState, ProxyRequest},
    tool::Effect,
};
use stead_sandbox::Fault;

use super::{
    case::{self, Case, World},
    report::{Report, in_words},
};
use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    target::{SANDBOX_USER, Stack, USER},
};

/// Runs all steps until one can't continue.
pub(super) async fn walk(
    stack: &Stack,
    break_tool: Option<&str>,
    report: &mut Report<'_>,
) -> Outcome {
    let secret = stack.client_secret.expose_secret();
    let client = Client::new(&stack.url, stack.client_id.clone(), secret)?;
    let journey = Journey {
        stack,
        stead: client.into(),
        cases: case::all().map_err(|error| {
            let why = format!("can't read the demo's cases: {error}");
            Failure::new(
                Exit::Failed,
                why,
                "This is a bug in Stead. Please report it.",
            )
        })?,
        world: Cell::new(Rc::new(read_world(stack)?)),
    };
    let first = journey.world();
    report.part("Set-up");
    let open = report
        .step("token and catalogue", journey.catalogue())
        .await;
    for product in stack.platform.environment().catalogue().products() {
        report.part(product.title);
        if open {
            journey.product(product, break_tool, report).await?;
        } else {
            miss(product, report).await;
        }
    }
    journey.read_world_again()?;
    report.changes(case::changes(&first, &journey.world()));
    Ok(())
}

/// The sandbox's current data.
fn read_world(stack: &Stack) -> Outcome<World> {
    World::of(&stack.sandbox.world(), SANDBOX_USER).ok_or_else(|| {
        Failure::new(
            Exit::Failed,
            format!("the sandbox has no user {SANDBOX_USER}"),
            "This is a bug in Stead. Please report it.",
        )
    })
}

/// Reports all tools of a product as failed.
async fn miss(product: &Product, report: &mut Report<'_>) {
    for tool in product.tools {
        let missed = async { Err(String::from("an earlier step failed")) };
        report.tool(tool.name(), missed).await;
    }
}

struct Journey<'a> {
    stack: &'a Stack,
    stead: Stead,
    cases: Vec<Case>,
    /// The sandbox's data when it was last read. It's read between the steps, so the time doesn't count for a tool.
    world: Cell<Rc<World>>,
}

type StepResult = Result<String, String>;

impl Journey<'_> {
    fn world(&self) -> Rc<World> {
        let world = self.world.take();
        self.world.set(Rc::clone(&world));
        world
    }

    fn read_world_again(&self) -> Outcome {
        self.world.set(Rc::new(read_world(self.stack)?));
        Ok(())
    }

    /// Runs a case's tool, checks its result, and describes what changed in the sandbox.
    async fn checked(&self, connection: &str, case: &Case, effect: Effect) -> StepResult {
        let data = self.call(connection, case).await?;
        let mut lines = vec![case.check(&data)?];
        if effect != Effect::Read {
            let before = self.world();
            self.read_world_again().map_err(in_words)?;
            lines.extend(case::changes(&before, &self.world()));
        }
        Ok(lines.join("; "))
    }

    async fn product(
        &self,
        product: &Product,
        break_tool: Option<&str>,
        report: &mut Report<'_>,
    ) -> Outcome {
        let connection = product.name;
        if !report
            .step("link and consent", self.connect(connection))
            .await
        {
            miss(product, report).await;
            return Ok(());
        }
        self.read_world_again()?;
        // Iterates over the catalogue and not the cases, so that a tool without a case fails.
        let mut shown = None;
        for tool in product.tools {
            let case = self.cases.iter().find(|case| case.tool == tool.name());
            let broken = break_tool == Some(tool.name());
            let good = report
                .tool(
                    tool.name(),
                    self.tool(connection, case, tool.effect(), broken),
                )
                .await;
            // The tool runs again below, so it must not change anything.
            if good && tool.effect() == Effect::Read {
                shown = shown.or(case);
            }
        }
        if connection == "mail" {
            report.step("raw request", self.proxy(connection)).await;
        }
        let Some(case) = shown else { return Ok(()) };
        report
            .step("token expiry and refresh", self.expiry(connection, case))
            .await;
        report
            .step("revocation by the user", self.revocation(connection, case))
            .await;
        report
            .step("reconnect with a new link", self.again(connection, case))
            .await;
        Ok(())
    }

    async fn catalogue(&self) -> StepResult {
        let tools = self.stead.tools().list().await.map_err(in_words)?;
        Ok(format!("{} tools available", tools.len()))
    }

    async fn connect(&self, connection: &str) -> StepResult {
        let user = self.stead.account(connection, USER).map_err(in_words)?;
        let link = user.authorize().await.map_err(in_words)?;
        self.stack.consent(&link.link).await.map_err(in_words)?;
        let account = user.read().await.map_err(in_words)?;
        if account.state != AccountState::Active {
            return Err(format!("the account is {}", account.state.name()));
        }
        let user = account
            .product_user
            .unwrap_or_else(|| String::from("the user"));
        Ok(format!(
            "{user} allowed {} scopes",
            account.granted_scopes.len()
        ))
    }

    /// Runs a tool, compares its result with the sandbox's data, and checks that the request reached the sandbox.
    async fn tool(
        &self,
        connection: &str,
        case: Option<&Case>,
        effect: Effect,
        broken: bool,
    ) -> StepResult {
        let case = case.ok_or("the demo has no case for this tool")?;
        let seen_before = self.stack.sandbox.received().len();
        if broken {
            self.stack.sandbox.fault(Fault::Error {
                host: None,
                path_contains: None,
                status: 400,
                reason: String::from("failedPrecondition"),
                message: Some(String::from("broken on purpose")),
                retry_after: None,
                times: 1,
            });
        }
        let detail = self.checked(connection, case, effect).await?;
        let received = self.stack.sandbox.received();
        let requests = received.get(seen_before..).unwrap_or_default();
        if requests.is_empty() {
            return Err(String::from("no request reached the sandbox"));
        }
        if let Some(refused) = requests.iter().find(|request| {
            !request
                .status
                .is_some_and(|status| (200..300).contains(&status))
        }) {
            return Err(format!("the sandbox refused {}", refused.path));
        }
        let plural = if requests.len() == 1 { "" } else { "s" };
        Ok(format!("{detail}, {} request{plural}", requests.len()))
    }

    async fn call(&self, connection: &str, case: &Case) -> Result<Value, String> {
        let input = case.input.clone();
        let execution = self
            .stead
            .actions()
            .execute_tool(&case.tool, connection, USER, input)
            .await
            .map_err(in_words)?;
        execution.json().map_err(in_words)
    }

    async fn proxy(&self, connection: &str) -> StepResult {
        let request = ProxyRequest::new(connection, USER, "GET", "/v1/users/me/profile");
        let response = self
            .stead
            .actions()
            .request(request)
            .await
            .map_err(in_words)?;
        if response.status() != StatusCode::OK {
            return Err(format!("status {}", response.status().as_u16()));
        }
        let profile: Value =
            serde_json::from_slice(response.body()).map_err(|error| error.to_string())?;
        case::same("address", &json!(SANDBOX_USER), &profile["emailAddress"])?;
        Ok(format!("GET /v1/users/me/profile returned {SANDBOX_USER}"))
    }

    async fn expiry(&self, connection: &str, case: &Case) -> StepResult {
        let refreshes = || self.stack.sandbox.token_requests_of("refresh_token");
        let before = refreshes();
        self.stack
            .sandbox
            .fault(Fault::ExpireAccessTokens { user: None });
        self.checked(connection, case, Effect::Read).await?;
        match refreshes() - before {
            1 => Ok(format!("{} worked after 1 refresh", case.tool)),
            several => Err(format!("{several} refreshes instead of 1")),
        }
    }

    async fn revocation(&self, connection: &str, case: &Case) -> StepResult {
        self.stack.sandbox.fault(Fault::Revoke {
            user: Some(SANDBOX_USER.to_owned()),
        });
        let input = case.input.clone();
        match self
            .stead
            .actions()
            .execute_tool(&case.tool, connection, USER, input)
            .await
        {
            Ok(_) => Err(String::from(
                "the call succeeded although the user revoked access",
            )),
            Err(error)
                if error.kind() == ErrorKind::AuthorizationRequired
                    && error.act_by() == ActBy::EndUser =>
            {
                Ok(format!("{}, the user must reconnect", error.kind()))
            }
            Err(error) => Err(in_words(error)),
        }
    }

    async fn again(&self, connection: &str, case: &Case) -> StepResult {
        self.connect(connection).await?;
        self.checked(connection, case, Effect::Read).await
    }
}
