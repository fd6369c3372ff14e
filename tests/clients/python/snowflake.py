"""snowflake-sql-api-client: `host` names the proxy host."""

import json

import snowflake_sql_api_client
from snowflake_sql_api_client.rest import ApiException

from checks import PROXY, check, token



def statements(access):
    configuration = snowflake_sql_api_client.Configuration()
    configuration.host = PROXY
    configuration.api_key["Authorization"] = token("warehouse", access)
    configuration.api_key_prefix["Authorization"] = "Bearer"
    client = snowflake_sql_api_client.ApiClient(configuration)
    return snowflake_sql_api_client.Apiv2statementsApi(client)


HEADERS = {
    "user_agent": "clients/1.0",
    "x_snowflake_authorization_token_type": "OAUTH",
    "content_type": "application/json",
    "accept": "application/json",
}


def run(statement, access="WRITE", **body):
    response = statements(access).api_v2_statements_post(
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
        run("select * from nothing_here")
    except ApiException as error:
        assert error.status == 422, error
        return
    raise AssertionError("expected an error")


@check("snowflake: a token that only reads runs no statement")
def _():
    try:
        run("select 1", access="READ")
    except ApiException as error:
        assert error.status == 403, error
        return
    raise AssertionError("expected an error")
