//! The warehouse product of Stead: fourteen tools over the Snowflake SQL API.
