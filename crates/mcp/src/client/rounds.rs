//! Requests to a server that has no sessions.

use toolglot_value::{Map, Value, json};

use super::Client;
use super::stateless::{PREFIX, UNSUPPORTED, supports};
use super::terms::Terms;
use super::trouble::Trouble;
use crate::STATELESS;

/// How often a server may request input before it returns a result.
const MAX_ROUNDS: usize = 8;

impl Client {
    /// Requests a description from a server without sessions.
    pub(super) fn discover(&mut self, terms: &Terms<'_>) -> Result<(), Trouble> {
        self.is_stateless = true;
        self.wire.agreed(STATELESS);
        let said = match self.request("server/discover", json!({}), terms) {
            // The server may have used an older version that this client sent, so the request is repeated.
            Err(Trouble::Refused { fault, .. })
                if fault.code == UNSUPPORTED && supports(&fault) =>
            {
                self.request("server/discover", json!({}), terms)?
            }
            said => said?,
        };
        let versions = said["supportedVersions"].as_array();
        if !versions.is_some_and(|versions| versions.iter().any(|version| version == STATELESS)) {
            return Err(Trouble::Odd(format!(
                "does not say that it speaks {STATELESS}"
            )));
        }
        let info = &said["_meta"][format!("{PREFIX}serverInfo")];
        let info = if info.is_null() {
            said["serverInfo"].clone()
        } else {
            info.clone()
        };
        self.server = json!({
            "protocolVersion": STATELESS, "capabilities": said["capabilities"], "serverInfo": info, "instructions": said["instructions"],
        });
        Ok(())
    }

    /// Sends a request, and supplies the input that the server requests meanwhile. The server's state is returned
    /// unchanged.
    pub(super) fn rounds(
        &mut self,
        method: &str,
        params: &Value,
        terms: &Terms<'_>,
    ) -> Result<Value, Trouble> {
        let mut asked = params.clone();
        for _ in 0..MAX_ROUNDS {
            let result = self.request(method, asked, terms)?;
            match result["resultType"].as_str() {
                None | Some("complete") => return Ok(result),
                Some("input_required") => {}
                Some(_) => {
                    return Err(Trouble::Odd(
                        "gave a result of a type that is not known".to_owned(),
                    ));
                }
            }
            let mut given = Map::new();
            for (key, wanted) in result["inputRequests"].as_object().into_iter().flatten() {
                let wants = wanted["method"].as_str().unwrap_or_default();
                let empty = Map::new();
                let answer =
                    (self.profile.answers)(wants, wanted["params"].as_object().unwrap_or(&empty));
                let Some(Ok(answer)) = answer else {
                    let wants: String = wants
                        .chars()
                        .filter(char::is_ascii_graphic)
                        .take(80)
                        .collect();
                    return Err(Trouble::Odd(format!(
                        "asks for `{wants}`, which it is not given here"
                    )));
                };
                given.insert(key.clone(), answer);
            }
            asked = params.clone();
            asked["inputResponses"] = Value::Object(given);
            if let Some(state) = result.get("requestState") {
                asked["requestState"] = state.clone();
            }
        }
        Err(Trouble::Odd(format!(
            "asked for more {MAX_ROUNDS} times and gave no result"
        )))
    }
}
