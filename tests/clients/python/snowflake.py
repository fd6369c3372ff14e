"""snowflake-sql-api-client: `host` names the proxy."""

import json

import snowflake_sql_api_client
from snowflake_sql_api_client.rest import ApiException

from checks import TOKEN, base_url, check

configuration = snowflake_sql_api_client.Configuration()
configuration.host = base_url("warehouse")
configuration.api_key["Authorization"] = TOKEN
configuration.api_key_prefix["Authorization"] = "Bearer"
client = snowflake_sql_api_client.ApiClient(configuration)
statements = snowflake_sql_api_client.Apiv2statementsApi(client)
HEADERS = {
    "user_agent": "clients/1.0",
    "x_snowflake_authorization_token_type": "OAUTH",
    "content_type": "application/json",
    "accept": "application/json",
}


def run(statement, **body):
    response = statements.api_v2_statements_post(
        body={"statement": statement, **body}, _preload_content=False, **HEADERS
    )
    return json.loads(response.data)


@check("snowflake: a statement")
def _():
    result = run("select 1")
    assert result["data"] == [["1"]], result


@check("snowflake: a statement with bindings")
def _():
    result = run("select ?", bindings={"1": {"type": "TEXT", "value": "Ada"}})
    assert result["data"] == [["Ada"]], result


@check("snowflake: an error has its code")
def _():
    try:
        run("selec 1")
    except ApiException as error:
        assert error.status == 422, error
        return
    raise AssertionError("expected an error")
