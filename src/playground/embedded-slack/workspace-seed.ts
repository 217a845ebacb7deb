/* The workspace as it is at the start: its team, the installed app and the members. */

/** The team, and the one that `dan` belongs to. */
export const TEAM = {
  id: 'T000000001',
  name: 'Pigeonhole Post',
  domain: 'pigeonhole-post',
} as const;
export const PARTNER_TEAM_ID = 'T0PARTNER01';

/** The installed app. */
export const APP = {
  id: 'A0PIGEON001',
  name: 'Pigeonhole',
  account: 'pigeonhole',
  userId: 'U0PIGEON001',
  botId: 'B0PIGEON001',
} as const;

/** `ada` is an admin and owner; `dan` is from another workspace; `eve` is a guest of this one. */
export const MEMBERS = ['ada', 'ben', 'cleo', 'dan', 'eve'] as const;

const REAL_NAMES = {
  ada: 'Ada Admin',
  ben: 'Ben Builder',
  cleo: 'Cleo Client',
  dan: 'Dan Partner',
  eve: 'Eve Guest',
};

// The emulator allows each token 5,000 requests an hour. A burst needs more, so each account
// rotates through several tokens.
const TOKENS_PER_ACCOUNT = 100;

export const ACCOUNTS = [APP.account, ...MEMBERS] as const;

/** Returns the `n`-th of an account's tokens in the emulator. */
export function emulatorToken(account: string, n: number): string {
  return `emulator-${account}-${n % TOKENS_PER_ACCOUNT}`;
}

/** Returns the emulator's initial data. Its channels start with every member but the bot. */
export function seed() {
  return {
    slack: {
      team: { name: TEAM.name, domain: TEAM.domain },
      users: MEMBERS.map((name) => ({
        name,
        real_name: REAL_NAMES[name],
        is_admin: name === 'ada',
      })),
      channels: [{ name: 'design' }, { name: 'board', is_private: true }],
      oauth_apps: [
        {
          app_id: APP.id,
          client_id: 'embedded.client',
          client_secret: 'embedded-client-secret',
          name: APP.name,
          redirect_uris: [],
          bot_id: APP.botId,
          bot_user_id: APP.userId,
          bot_name: APP.account,
        },
      ],
      tokens: ACCOUNTS.flatMap(tokensOf),
    },
  };
}

function tokensOf(account: string) {
  const app = { app_id: APP.id, bot_id: APP.botId, bot_user_id: APP.userId, type: 'bot' };
  return Array.from({ length: TOKENS_PER_ACCOUNT }, (_, n) => ({
    token: emulatorToken(account, n),
    user: account,
    ...(account === APP.account ? app : { type: 'user' }),
  }));
}
