import { DEFAULT_OPTIONS } from './app-options.ts';
import { askedToWaitMs, messageOf, silentLogger } from './base/index.ts';
import { NO_PROJECTS, serviceAdvice } from './check-service.ts';
import { type Config, type Given, loadConfig, mistypedNames } from './config.ts';
import {
  type CallOptions,
  createServiceClient,
  createThrottle,
  isListed,
  unlessCode,
} from './service/index.ts';
import { checkAppToken, createPaces, openWorkspace } from './slack/index.ts';
import { agreeing, counted } from './surfaces/kit/text.ts';
import { missingScopes } from './surfaces/notices/operator-notices.ts';

/** Takes a sentence about what was tried, and whether it works. */
type Report = (works: boolean, sentence: string) => void;

/**
 * Tries the settings of the file service and of Slack, and writes what works and what doesn't, a
 * sentence each. Changes nothing: opens no ledger, files nothing, and takes no events from Slack.
 * Needs about three requests of the service, more where it pages its lists; an instance that runs
 * meanwhile does not count them. If Slack's tokens are not set yet, tries the service alone. Resolves
 * with whether all of it works. Rejects with CONFIG_INVALID for settings that are missing or malformed.
 */
export async function checkAccount(given: Given, write: (line: string) => void): Promise<boolean> {
  const hasSlack = SLACK_SECRETS.some((name) => given[name]);
  const config = loadConfig(hasSlack ? given : { ...given, ...STAND_INS });
  let problems = 0;
  const report: Report = (works, sentence) => {
    if (!works) problems += 1;
    write(`${works ? '✓' : '✗'} ${sentence}`);
  };
  await checkFiles(config, report);
  if (hasSlack) await checkSlack(config, report);
  else write('– Slack was not tried: its tokens are not set yet.');
  for (const { name, meant } of mistypedNames(given))
    report(false, `${name} is unknown: did you mean ${meant}?`);
  write('– Uploading, the database and Redis were not tried.');
  write(problems === 0 ? 'All that was tried works.' : 'What is marked ✗ needs you.');
  return problems === 0;
}

const SLACK_SECRETS = ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET'];
/** Of the right form, and sent to nobody. */
const STAND_INS = { SLACK_BOT_TOKEN: 'xoxb-', SLACK_APP_TOKEN: 'xapp-' };

/** Answers about a folder that is not there, or not for this key. */
const HIDDEN = ['SERVICE_NOT_FOUND', 'SERVICE_FORBIDDEN'] as const;
const CORRECT_FOLDER = 'correct FILES_PROJECT_ID and FILES_FOLDER_ID.';

const options = { ...DEFAULT_OPTIONS, logger: silentLogger };
const CALL: CallOptions = { lane: 'interactive' };

async function checkFiles({ files }: Config, report: Report): Promise<void> {
  const { accountUrl: account, rateLimit: limit } = files;
  const throttle = createThrottle({ ...options, account, limit });
  const client = createServiceClient({ ...options, ...files, throttle, adapter: 'http' });
  try {
    await listThrough(client, files, report);
  } catch (error) {
    const waitMs = askedToWaitMs(error);
    report(
      false,
      waitMs === null
        ? `${serviceAdvice(error)} (${messageOf(error)}).`
        : `The file service asks to wait ${Math.ceil(waitMs / 1000)} s. Check again after that.`,
    );
  } finally {
    await throttle.stop();
  }
}

/** Lists the projects, the folders of one and the files of one: the default folder, if there is one. */
async function listThrough(
  client: ReturnType<typeof createServiceClient>,
  { destination }: Config['files'],
  report: Report,
): Promise<void> {
  const projects = await client.listProjects(CALL);
  if (projects) {
    const many = counted(projects.records.length, 'project');
    report(true, `The file service accepts the key and lists ${many}.`);
  } else report(false, NO_PROJECTS);

  const current = projects?.records.find(({ archived }) => !archived);
  const projectId = destination?.projectId ?? current?.id;
  if (projectId === undefined) return;
  const folders = await client.listFolders(projectId, CALL);
  if (destination && isListed(folders, destination.folderId) === false)
    return report(
      false,
      `Project ${projectId} has no folder ${destination.folderId}: ${CORRECT_FOLDER}`,
    );
  report(
    folders !== null,
    folders
      ? `Project ${projectId} lists ${counted(folders.records.length, 'folder')}.`
      : `Project ${projectId} lists no folders: give the key’s user access to it, or link channels by numbers.`,
  );

  const folderId = destination?.folderId ?? folders?.records[0]?.id;
  if (folderId === undefined) return;
  const listed = await unlessCode(client.peekFiles({ projectId, folderId }, CALL), HIDDEN);
  if (listed) {
    const { length: count } = listed.entries;
    const read = `${count} ${agreeing(count).were} read`;
    return report(true, `Folder ${folderId} shows its files; ${read}.`);
  }
  const advice = destination ? CORRECT_FOLDER : 'give the key’s user access to it.';
  report(
    false,
    `Folder ${folderId} of project ${projectId} does not exist, or the key may not see it: ${advice}`,
  );
}

async function checkSlack({ slack }: Config, report: Report): Promise<void> {
  const connected = { ...options, ...slack, fetch: options.network.slack };
  try {
    const paces = createPaces(options.historyEveryMs, options.clock);
    const { identity } = await openWorkspace({
      ...connected,
      getFile: options.network.files,
      paces,
    });
    report(
      true,
      `Slack accepts the bot token, for ${identity.url ?? `workspace ${identity.team}`}`,
    );
    for (const [scope, lost] of Object.entries(missingScopes(identity.scopes)))
      report(false, `The app lacks the scope ${scope}, and without it ${lost}. ${SCOPE_ADVICE}`);
    if (slack.appToken === null) return report(true, OVER_HTTP);
    await checkAppToken(slack.appToken, connected);
    report(true, 'Slack accepts the app-level token.');
  } catch (error) {
    report(false, messageOf(error));
  }
}

const SCOPE_ADVICE =
  'Put the current manifest.yml into the app’s settings in Slack and reinstall it there.';
const OVER_HTTP =
  'SLACK_SIGNING_SECRET is set; whether it is the right one shows when Slack first calls.';
