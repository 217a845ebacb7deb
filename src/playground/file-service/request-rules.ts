import type { IncomingMessage } from 'node:http';
import type { Person } from './account.ts';
import type { Behaviour } from './behaviour.ts';
import { Refusal } from './refusal.ts';
import type { Route } from './route.ts';

/** `<AppName> (<EMAIL>)`. */
const USER_AGENT = /^\S.* \([^\s()@]+@[^\s()@]+\)$/;

/** Checks the rules that all calls share, in this order; returns the key's user. */
export function requireRules(
  request: IncomingMessage,
  { route, person }: { route: Route; person: Person | null },
  behaviour: Behaviour,
): Person {
  if (route.inBase) requireUserAgent(request);
  const user = requireUser(person);
  if (route.inBase) requireJson(request, behaviour);
  return user;
}

/** The code for incomplete headers (service interface, appendix 2, R3). */
const HEADERS_INCOMPLETE = 1201;

/** Checks the User-Agent (service interface, section 5, rule 4). */
function requireUserAgent({ headers }: IncomingMessage): void {
  if (!USER_AGENT.test(headers['user-agent'] ?? '')) {
    const message = 'The User-Agent header must be "<AppName> (<EMAIL>)".';
    throw new Refusal(400, message, HEADERS_INCOMPLETE);
  }
}

/** Checks the key (service interface, section 5, rules 1 and 2). The status is our own choice. */
function requireUser(person: Person | null): Person {
  if (!person) throw new Refusal(401, 'The X-API-KEY header is missing, or its key is not known.');
  if (person.suspended) throw new Refusal(401, 'The user of this key is suspended.');
  return person;
}

/** Checks the type (service interface, section 5, rule 5, and appendix 2, R2, with the status). */
function requireJson({ headers, method }: IncomingMessage, { jsonHeader }: Behaviour): void {
  if (jsonHeader === 'with-a-body' && method !== 'POST' && method !== 'PUT') return;
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    throw new Refusal(415, 'The Content-Type header must be application/json.');
  }
}
