import { accessTold } from './access-told.ts';
import { answered } from './answered.ts';
import { answeredOrClosed } from './answered-or-closed.ts';
import { certificateGood } from './certificate-good.ts';
import { claimedTimeKept } from './claimed-time-kept.ts';
import { connectionReused } from './connection-reused.ts';
import { crlfLineEnds } from './crlf-line-ends.ts';
import type { Check } from './define-check.ts';
import { descriptionsSaySomething } from './descriptions-say-something.ts';
import { descriptorFormCheck } from './descriptor-form.ts';
import { descriptors } from './descriptors.ts';
import { detailsAgree } from './details-agree.ts';
import { errorBodiesJson } from './error-bodies-json.ts';
import { errorBody } from './error-body.ts';
import { errorNotResult } from './error-not-result.ts';
import { errorRequestId } from './error-request-id.ts';
import { examplesGiven } from './examples-given.ts';
import { executed } from './executed.ts';
import { executionTimePlausible } from './execution-time-plausible.ts';
import { filtered } from './filtered.ts';
import { formUniform } from './form-uniform.ts';
import { httpsEndpoint } from './https-endpoint.ts';
import { jsonContentType } from './json-content-type.ts';
import { jsonObject } from './json-object.ts';
import { noRestart } from './no-restart.ts';
import { noSecretEcho } from './no-secret-echo.ts';
import { noStackTrace } from './no-stack-trace.ts';
import { oneAccepted } from './one-accepted.ts';
import { onlyDeclaredFailure } from './only-declared-failure.ts';
import { outputsDeclared } from './outputs-declared.ts';
import { ownAnswers } from './own-answers.ts';
import { pageSizeKept } from './page-size-kept.ts';
import { pageWalk } from './page-walk.ts';
import { paginationTrue } from './pagination-true.ts';
import { parametersDescribed } from './parameters-described.ts';
import { propertiesTyped } from './properties-typed.ts';
import { rateLimited } from './rate-limited.ts';
import { requestIdEchoed } from './request-id-echoed.ts';
import { requiredDeclared } from './required-declared.ts';
import { resultKeysDeclared } from './result-keys-declared.ts';
import { resultMatchesReturns } from './result-matches-returns.ts';
import { returnsDocumented } from './returns-documented.ts';
import { sameForm } from './same-form.ts';
import { sameFunctions } from './same-functions.ts';
import { schemasValid } from './schemas-valid.ts';
import { searchResults } from './search-results.ts';
import { serverRecords } from './server-records.ts';
import { tagsFiltered } from './tags-filtered.ts';
import { testResults } from './test-results.ts';
import { timedCallsAnswered } from './timed-calls-answered.ts';
import { timestampCurrent } from './timestamp-current.ts';
import { timestampIso8601 } from './timestamp-iso8601.ts';
import { timestampZone } from './timestamp-zone.ts';
import { uniqueNames } from './unique-names.ts';
import { unknownFunctionRefused } from './unknown-function-refused.ts';
import { uptimeInSeconds } from './uptime-in-seconds.ts';
import { uptimeNeverBack } from './uptime-never-back.ts';
import { versionSupported } from './version-supported.ts';
import { versionedBasePath } from './versioned-base-path.ts';
import { versionsAgree } from './versions-agree.ts';
import { websocketAccepted } from './websocket-accepted.ts';

/** Every check, by the name that suites use. A new check is one file and one line here. */
export const checks: ReadonlyMap<string, Check> = new Map(
  [
    accessTold,
    answered,
    answeredOrClosed,
    certificateGood,
    claimedTimeKept,
    connectionReused,
    crlfLineEnds,
    descriptionsSaySomething,
    descriptorFormCheck,
    descriptors,
    detailsAgree,
    errorBodiesJson,
    errorBody,
    errorNotResult,
    errorRequestId,
    examplesGiven,
    executed,
    executionTimePlausible,
    filtered,
    formUniform,
    httpsEndpoint,
    jsonContentType,
    jsonObject,
    noRestart,
    noSecretEcho,
    noStackTrace,
    oneAccepted,
    onlyDeclaredFailure,
    outputsDeclared,
    ownAnswers,
    pageSizeKept,
    pageWalk,
    paginationTrue,
    parametersDescribed,
    propertiesTyped,
    rateLimited,
    requestIdEchoed,
    requiredDeclared,
    resultKeysDeclared,
    resultMatchesReturns,
    returnsDocumented,
    sameForm,
    sameFunctions,
    schemasValid,
    searchResults,
    serverRecords,
    tagsFiltered,
    testResults,
    timedCallsAnswered,
    timestampCurrent,
    timestampIso8601,
    timestampZone,
    uniqueNames,
    unknownFunctionRefused,
    uptimeInSeconds,
    uptimeNeverBack,
    versionedBasePath,
    versionsAgree,
    versionSupported,
    websocketAccepted,
  ].map((check) => [check.name, check]),
);
