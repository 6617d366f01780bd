import { code as adviseCode } from "./procedures/advice/code";
import { node as adviseNode } from "./procedures/advice/node";
import { acknowledge } from "./procedures/alerts/acknowledge";
import { count as countAlerts } from "./procedures/alerts/count";
import { get as getAlert } from "./procedures/alerts/get";
import { list as listAlerts } from "./procedures/alerts/list";
import { noise } from "./procedures/alerts/noise";
import { policy } from "./procedures/alerts/policy";
import { resolve } from "./procedures/alerts/resolve";
import { retrying } from "./procedures/alerts/retrying";
import { savePolicyProcedure } from "./procedures/alerts/save-policy";
import { simulate as simulateAlerts } from "./procedures/alerts/simulate";
import { list as listAudit } from "./procedures/audit/list";
import { verify } from "./procedures/audit/verify";
import { board } from "./procedures/breakers/board";
import { close as closeBreaker } from "./procedures/breakers/close";
import { hold as holdWorker } from "./procedures/breakers/hold";
import { list as listBreakers } from "./procedures/breakers/list";
import { release as releaseHold } from "./procedures/breakers/release";
import { deliveries } from "./procedures/channels/deliveries";
import { list as listChannels } from "./procedures/channels/list";
import { remove as removeChannel } from "./procedures/channels/remove";
import { resend } from "./procedures/channels/resend";
import { save as saveChannel } from "./procedures/channels/save";
import { test as testChannel } from "./procedures/channels/test";
import { approve as approveCode } from "./procedures/codes/approve";
import { change as changeCode } from "./procedures/codes/change";
import { deprecate as deprecateCode } from "./procedures/codes/deprecate";
import { get as getCode } from "./procedures/codes/get";
import { list as listCodes } from "./procedures/codes/list";
import { map as mapCode } from "./procedures/codes/map";
import { propose as proposeCode } from "./procedures/codes/propose";
import { setReviewersProcedure } from "./procedures/codes/set-reviewers";
import { settings as codeSettings } from "./procedures/codes/settings";
import { triage } from "./procedures/codes/triage";
import { unmap as unmapCode } from "./procedures/codes/unmap";
import { withdraw as withdrawCode } from "./procedures/codes/withdraw";
import { discard } from "./procedures/dead-letters/discard";
import { get as getDeadLetter } from "./procedures/dead-letters/get";
import { list as listDeadLetters } from "./procedures/dead-letters/list";
import { release } from "./procedures/dead-letters/release";
import { get as getDependency } from "./procedures/dependencies/get";
import { list as listDependencies } from "./procedures/dependencies/list";
import { list as listFires } from "./procedures/fires/list";
import { get as getHome } from "./procedures/home/get";
import { allow } from "./procedures/hosts/allow";
import { list as listHosts } from "./procedures/hosts/list";
import { remove as removeHost } from "./procedures/hosts/remove";
import { importCrontabProcedure } from "./procedures/imports/import-crontab";
import { previewCrontab } from "./procedures/imports/preview-crontab";
import { acknowledge as acknowledgeIncident } from "./procedures/incidents/acknowledge";
import { assign as assignIncident } from "./procedures/incidents/assign";
import { close as closeIncident } from "./procedures/incidents/close";
import { completeActionProcedure } from "./procedures/incidents/complete-action";
import { escalate as escalateIncident } from "./procedures/incidents/escalate";
import { fixes } from "./procedures/incidents/fixes";
import { get as getIncident } from "./procedures/incidents/get";
import { list as listIncidents } from "./procedures/incidents/list";
import { markdown } from "./procedures/incidents/markdown";
import { ofAlert } from "./procedures/incidents/of-alert";
import { owners as incidentOwners } from "./procedures/incidents/owners";
import { reopen as reopenIncident } from "./procedures/incidents/reopen";
import { resolve as resolveIncident } from "./procedures/incidents/resolve";
import { saveReview } from "./procedures/incidents/save-review";
import { stats as incidentStats } from "./procedures/incidents/stats";
import { timeline } from "./procedures/incidents/timeline";
import { make as makeLink } from "./procedures/links/make";
import { offered as offeredLinks } from "./procedures/links/offered";
import { open as openLink } from "./procedures/links/open";
import { press as pressLink } from "./procedures/links/press";
import { changes } from "./procedures/live/changes";
import { add } from "./procedures/members/add";
import { list as listMembers } from "./procedures/members/list";
import { remove as removeMember } from "./procedures/members/remove";
import { setRole } from "./procedures/members/set-role";
import { applyText } from "./procedures/pipelines/apply-text";
import { create as createPipeline } from "./procedures/pipelines/create";
import { remove as deletePipeline } from "./procedures/pipelines/delete";
import { diff } from "./procedures/pipelines/diff";
import { discardDraftProcedure } from "./procedures/pipelines/discard-draft";
import { draft } from "./procedures/pipelines/draft";
import { get as getPipeline } from "./procedures/pipelines/get";
import { list as listPipelines } from "./procedures/pipelines/list";
import { previewStopProcedure } from "./procedures/pipelines/preview-stop";
import { publishProcedure } from "./procedures/pipelines/publish";
import { rename } from "./procedures/pipelines/rename";
import { saveDraftProcedure } from "./procedures/pipelines/save-draft";
import { setArchived } from "./procedures/pipelines/set-archived";
import { setEnabled } from "./procedures/pipelines/set-enabled";
import { version } from "./procedures/pipelines/version";
import { versions } from "./procedures/pipelines/versions";
import { change as changePlaybook } from "./procedures/playbooks/change";
import { check as runCheck } from "./procedures/playbooks/check";
import { create as createPlaybook } from "./procedures/playbooks/create";
import { list as listPlaybooks } from "./procedures/playbooks/list";
import { remove as removePlaybook } from "./procedures/playbooks/remove";
import { remove as deletePool } from "./procedures/pools/delete";
import { list as listPools } from "./procedures/pools/list";
import { save as savePool } from "./procedures/pools/save";
import { create as createProject } from "./procedures/projects/create";
import { list as listProjects } from "./procedures/projects/list";
import { get as getRetention } from "./procedures/retention/get";
import { hold as holdRetention } from "./procedures/retention/hold";
import { preview as previewRetention } from "./procedures/retention/preview";
import { set as setRetention } from "./procedures/retention/set";
import { decide as decideReviews } from "./procedures/reviews/decide";
import { deferred } from "./procedures/reviews/deferred";
import { list as listReviews } from "./procedures/reviews/list";
import { setLimit } from "./procedures/reviews/set-limit";
import { summary as reviewSummary } from "./procedures/reviews/summary";
import { get as getRootCause } from "./procedures/root-causes/get";
import { list as listRootCauses } from "./procedures/root-causes/list";
import { bound } from "./procedures/routing/bound";
import { get as getRouting } from "./procedures/routing/get";
import { save as saveRouting } from "./procedures/routing/save";
import { setBound } from "./procedures/routing/set-bound";
import { simulate as simulateRouting } from "./procedures/routing/simulate";
import { versions as routingVersions } from "./procedures/routing/versions";
import { attempt } from "./procedures/runs/attempt";
import { cancel } from "./procedures/runs/cancel";
import { cancelNodeProcedure } from "./procedures/runs/cancel-node";
import { events } from "./procedures/runs/events";
import { get as getRun } from "./procedures/runs/get";
import { list as listRuns } from "./procedures/runs/list";
import { logs } from "./procedures/runs/logs";
import { markSuccessProcedure } from "./procedures/runs/mark-success";
import { pause } from "./procedures/runs/pause";
import { previewRerunProcedure } from "./procedures/runs/preview-rerun";
import { rerun } from "./procedures/runs/rerun";
import { rerunFromProcedure } from "./procedures/runs/rerun-from";
import { resume } from "./procedures/runs/resume";
import { retry } from "./procedures/runs/retry";
import { skip } from "./procedures/runs/skip";
import { trigger } from "./procedures/runs/trigger";
import { list as listSchedules } from "./procedures/schedules/list";
import { toggle } from "./procedures/schedules/toggle";
import { remove as deleteSecret } from "./procedures/secrets/delete";
import { list as listSecrets } from "./procedures/secrets/list";
import { set } from "./procedures/secrets/set";
import { changePasswordProcedure } from "./procedures/session/change-password";
import { me } from "./procedures/session/me";
import { create as createSilence } from "./procedures/silences/create";
import { end as endSilence } from "./procedures/silences/end";
import { list as listSilences } from "./procedures/silences/list";
import { create as createToken } from "./procedures/tokens/create";
import { list as listTokens } from "./procedures/tokens/list";
import { revoke } from "./procedures/tokens/revoke";
import { close as closeValve } from "./procedures/valves/close";
import { held as heldByValve } from "./procedures/valves/held";
import { list as listValves } from "./procedures/valves/list";
import { release as releaseValve } from "./procedures/valves/release";
import { stopRelease } from "./procedures/valves/stop-release";
import { change as changeWebhook } from "./procedures/webhooks/change";
import { create as createWebhook } from "./procedures/webhooks/create";
import { deliveries as webhookDeliveries } from "./procedures/webhooks/deliveries";
import { list as listWebhooks } from "./procedures/webhooks/list";
import { remove as removeWebhook } from "./procedures/webhooks/remove";
import { resend as resendEvent } from "./procedures/webhooks/resend";
import { rotate as rotateSecret } from "./procedures/webhooks/rotate";
import { setEnabled as setWebhookEnabled } from "./procedures/webhooks/set-enabled";
import { test as testWebhook } from "./procedures/webhooks/test";
import { drain } from "./procedures/workers/drain";
import { limitGroup } from "./procedures/workers/limit-group";
import { list as listWorkers } from "./procedures/workers/list";
import { tasks } from "./procedures/workers/tasks";
import { callerFactory, router } from "./trpc";

export const appRouter = router({
  session: router({ me, changePassword: changePasswordProcedure }),
  projects: router({ list: listProjects, create: createProject }),
  home: router({ get: getHome }),
  pipelines: router({
    list: listPipelines,
    get: getPipeline,
    create: createPipeline,
    draft,
    saveDraft: saveDraftProcedure,
    discardDraft: discardDraftProcedure,
    publish: publishProcedure,
    applyText,
    versions,
    version,
    diff,
    setEnabled,
    setArchived,
    delete: deletePipeline,
    rename,
    previewStop: previewStopProcedure,
  }),
  runs: router({
    list: listRuns,
    get: getRun,
    attempt,
    events,
    logs,
    trigger,
    retry,
    skip,
    cancel,
    cancelNode: cancelNodeProcedure,
    rerun,
    rerunFrom: rerunFromProcedure,
    markSuccess: markSuccessProcedure,
    pause,
    resume,
    previewRerun: previewRerunProcedure,
  }),
  codes: router({
    list: listCodes,
    get: getCode,
    settings: codeSettings,
    triage,
    propose: proposeCode,
    approve: approveCode,
    change: changeCode,
    deprecate: deprecateCode,
    withdraw: withdrawCode,
    setReviewers: setReviewersProcedure,
    map: mapCode,
    unmap: unmapCode,
  }),
  alerts: router({
    list: listAlerts,
    get: getAlert,
    count: countAlerts,
    retrying,
    acknowledge,
    resolve,
    noise,
    policy,
    simulate: simulateAlerts,
    savePolicy: savePolicyProcedure,
  }),
  incidents: router({
    list: listIncidents,
    stats: incidentStats,
    get: getIncident,
    markdown,
    ofAlert,
    owners: incidentOwners,
    timeline,
    fixes,
    acknowledge: acknowledgeIncident,
    assign: assignIncident,
    escalate: escalateIncident,
    resolve: resolveIncident,
    reopen: reopenIncident,
    close: closeIncident,
    saveReview,
    completeAction: completeActionProcedure,
  }),
  playbooks: router({ list: listPlaybooks, check: runCheck, create: createPlaybook, change: changePlaybook, remove: removePlaybook }),
  links: router({ offered: offeredLinks, make: makeLink, open: openLink, press: pressLink }),
  silences: router({ list: listSilences, create: createSilence, end: endSilence }),
  channels: router({ list: listChannels, deliveries, save: saveChannel, remove: removeChannel, test: testChannel, resend }),
  deadLetters: router({ list: listDeadLetters, get: getDeadLetter, release, discard }),
  rootCauses: router({ list: listRootCauses, get: getRootCause }),
  dependencies: router({ list: listDependencies, get: getDependency }),
  advice: router({ code: adviseCode, node: adviseNode }),
  routing: router({ get: getRouting, versions: routingVersions, simulate: simulateRouting, save: saveRouting, bound, setBound }),
  reviews: router({ list: listReviews, summary: reviewSummary, deferred, decide: decideReviews, setLimit }),
  schedules: router({ list: listSchedules, toggle }),
  fires: router({ list: listFires }),
  imports: router({ previewCrontab, importCrontab: importCrontabProcedure }),
  audit: router({ list: listAudit, verify }),
  members: router({ list: listMembers, add, setRole, remove: removeMember }),
  tokens: router({ list: listTokens, create: createToken, revoke }),
  secrets: router({ list: listSecrets, set, delete: deleteSecret }),
  retention: router({ get: getRetention, preview: previewRetention, set: setRetention, hold: holdRetention }),
  webhooks: router({
    list: listWebhooks,
    deliveries: webhookDeliveries,
    create: createWebhook,
    change: changeWebhook,
    setEnabled: setWebhookEnabled,
    rotate: rotateSecret,
    remove: removeWebhook,
    test: testWebhook,
    resend: resendEvent,
  }),
  hosts: router({ list: listHosts, allow, remove: removeHost }),
  workers: router({ list: listWorkers, tasks, drain, limitGroup }),
  breakers: router({ list: listBreakers, board, hold: holdWorker, release: releaseHold, close: closeBreaker }),
  valves: router({ list: listValves, held: heldByValve, close: closeValve, release: releaseValve, stopRelease }),
  pools: router({ list: listPools, save: savePool, delete: deletePool }),
  live: router({ changes }),
});

export type AppRouter = typeof appRouter;
export const createCaller = callerFactory(appRouter);
