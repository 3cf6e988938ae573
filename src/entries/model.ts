export {
  descriptorForm,
  descriptorsIn,
  propertiesOf,
  requiredNames,
  textsOf,
  typesOf,
} from '../checks/capabilities/descriptor.ts';
export { declaredInputs } from '../checks/documentation/examples-given.ts';
export { jsonBody } from '../checks/json/json-body.ts';
export { createSchemaEvaluator } from '../checks/json/schema-evaluator.ts';
export { compareContracts } from '../contract/compare-contracts.ts';
export { contractOf } from '../contract/read-contract.ts';
export { capabilitiesInFormB } from '../gateway/describe-tools.ts';
export { callInputs } from '../inputs/call-inputs.ts';
export { decodeJson, decodeJsonValue } from '../json/decode-json.ts';
export {
  canonicalJson,
  isFiniteWithin,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonText,
  jsonTypeOf,
  ownItems,
  ownProperty,
  ownText,
  shorten,
  showJson,
} from '../json/json.ts';
export { escapeLive, visible } from '../json/visible.ts';
export { MIN_SAMPLES } from '../latency/percentiles.ts';
export { OptionError } from '../model/arguments.ts';
export type { ConfiguredSample } from '../model/call.ts';
export {
  CHANGE_KINDS,
  type ChangeKind,
  CONTRACT_LISTS,
  type Contract,
  type ContractChange,
  type ContractFunction,
} from '../model/contract.ts';
export {
  type AnsweredExchange,
  type Exchange,
  type Header,
  headerValue,
  type TransportFailure,
} from '../model/exchange.ts';
export { isFirstAttemptOf, isForAnItemOf, stepIn } from '../model/exchange-key.ts';
export { ExpectedError } from '../model/expected-error.ts';
export type { Coverage, ReportedFinding, Verdict } from '../model/judgement.ts';
export type {
  Gathered,
  Listing,
  ListingDecision,
  ListingEvidence,
  ListingJudgement,
  ListingRow,
  ParsedListing,
} from '../model/listing.ts';
export { isMeasurement, type Measurement } from '../model/measurement.ts';
export type { PlannedHttp } from '../model/probe.ts';
export { isRateLimit, isRateLimited, retryAfterMs, TOO_MANY_REQUESTS } from '../model/rate-limit.ts';
export type { Summary, TestResult } from '../model/report.ts';
export type { Form, Requirement } from '../model/requirement.ts';
export { type RecordSchema, schemaWords } from '../model/saved/record-schema.ts';
export { type ServerRecord, serverRecord } from '../model/saved/server-record.ts';
export { SERVER_STATUSES, type ServerStatus } from '../model/saved/server-status.ts';
export type { SchemaEvaluator } from '../model/schema-evaluator.ts';
export {
  bufferFrom,
  callIn,
  type HttpExchange,
  isOverHttp,
  messageMethod,
  overHttp,
  sentBytes,
  unsentExchange,
  wholeBody,
} from '../model/sent.ts';
export { parseTarget, type Transport, targetVariable } from '../model/target.ts';
export {
  type ExecuteAnswer,
  type ExecuteRequest,
  executeAnswer,
  executeRequest,
  type ProblemBody,
  problem,
  type TestRequest,
  testRequest,
} from '../platform-api/calls.ts';
export { type ChangesPage, changesPage, type DirectoryChange } from '../platform-api/changes.ts';
export { PROTOCOLS, type Protocol, SORTS, type Sort, VERDICTS } from '../platform-api/search-choices.ts';
export { pagination, searchResult } from '../platform-api/search-result.ts';
export {
  type ContractVersion,
  type LastContractChange,
  type LastResult,
  type OperationTimes,
  type RecordInDetails,
  type ResultSummary,
  type ServerDetails,
  serverDetails,
} from '../platform-api/server-details.ts';
export { type ResultOutline, testResult } from '../platform-api/test-result.ts';
export { reportPieces } from '../report/serialise-report.ts';
export { withListing } from '../report/with-listing.ts';
export { capabilitiesForm } from '../run/calls/forms.ts';
export { npxWords } from '../text/npx-words.ts';
export { parseUrl } from '../text/parse-url.ts';
export { namesInLine } from '../text/words.ts';
export { toolOutcome } from '../wires/mcp/answer.ts';
export { bearerIn } from '../wires/mcp/authorization.ts';
export { openedBy } from '../wires/mcp/opening.ts';
