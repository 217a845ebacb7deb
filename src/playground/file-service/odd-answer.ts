import type { Answer } from './answer.ts';

/**
 * Returns the response as some accounts send it (service interface, appendix): `byte_size` as a
 * string, `url` as an object, and in a list one malformed record.
 */
export function oddAnswer(answer: Answer): Answer {
  if (typeof answer.body !== 'string') return answer;
  return { ...answer, body: JSON.stringify(oddValue(JSON.parse(answer.body))) };
}

function oddValue(value: unknown): unknown {
  if (!Array.isArray(value)) return oddRecord(value);
  const [first, ...others] = value.map(oddRecord);
  const odd = { id: null, name: 7, byte_size: 'unknown' };
  return first === undefined ? [odd] : [first, odd, ...others];
}

function oddRecord(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('byte_size' in value)) return value;
  const url = 'url' in value ? value.url : undefined;
  const oddUrl = typeof url === 'string' ? { download: url, thumbnail: url, image: null } : url;
  return { ...value, byte_size: String(value.byte_size), url: oddUrl };
}
