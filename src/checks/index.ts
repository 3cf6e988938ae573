import { accessTold } from './access-told.ts';
import { answered } from './answered.ts';
import { answeredOrClosed } from './answered-or-closed.ts';
import { certificateGood } from './certificate-good.ts';
import { claimedTimeKept } from './claimed-time-kept.ts';
import { connectionReused } from './connection-reused.ts';
import type { Check } from './define-check.ts';
import { descriptionsSaySomething } from './descriptions-say-something.ts';
import { descriptorFormCheck } from './descriptor-form.ts';
import { descriptors } from './descriptors.ts';
import { errorNotResult } from './error-not-result.ts';
import { examplesGiven } from './examples-given.ts';
import { executionTimePlausible } from './execution-time-plausible.ts';
import { formUniform } from './form-uniform.ts';
import { httpsEndpoint } from './https-endpoint.ts';
import { jsonContentType } from './json-content-type.ts';
import { jsonObject } from './json-object.ts';
import { noRestart } from './no-restart.ts';
import { noSecretEcho } from './no-secret-echo.ts';
import { noStackTrace } from './no-stack-trace.ts';
import { onlyDeclaredFailure } from './only-declared-failure.ts';
import { outputsDeclared } from './outputs-declared.ts';
import { ownAnswers } from './own-answers.ts';
import { parametersDescribed } from './parameters-described.ts';
import { propertiesTyped } from './properties-typed.ts';
import { requestIdEchoed } from './request-id-echoed.ts';
import { requiredDeclared } from './required-declared.ts';
import { resultMatchesReturns } from './result-matches-returns.ts';
import { returnsDocumented } from './returns-documented.ts';
import { sameForm } from './same-form.ts';
import { sameFunctions } from './same-functions.ts';
import { schemasValid } from './schemas-valid.ts';
import { timedCallsAnswered } from './timed-calls-answered.ts';
import { timestampCurrent } from './timestamp-current.ts';
import { timestampIso8601 } from './timestamp-iso8601.ts';
import { timestampZone } from './timestamp-zone.ts';
import { uniqueNames } from './unique-names.ts';
import { uptimeInSeconds } from './uptime-in-seconds.ts';
import { uptimeNeverBack } from './uptime-never-back.ts';
import { versionSupported } from './version-supported.ts';
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
    descriptionsSaySomething,
    descriptorFormCheck,
    descriptors,
    errorNotResult,
    examplesGiven,
    executionTimePlausible,
    formUniform,
    httpsEndpoint,
    jsonContentType,
    jsonObject,
    noRestart,
    noSecretEcho,
    noStackTrace,
    onlyDeclaredFailure,
    outputsDeclared,
    ownAnswers,
    parametersDescribed,
    propertiesTyped,
    requestIdEchoed,
    requiredDeclared,
    resultMatchesReturns,
    returnsDocumented,
    sameForm,
    sameFunctions,
    schemasValid,
    timedCallsAnswered,
    timestampCurrent,
    timestampIso8601,
    timestampZone,
    uniqueNames,
    uptimeInSeconds,
    uptimeNeverBack,
    versionsAgree,
    versionSupported,
    websocketAccepted,
  ].map((check) => [check.name, check]),
);
