import { z } from 'zod';
import { isSafeAddress } from '../../base/index.ts';
import { decodeHtml } from '../../transfers/decode-html.ts';
import type { FileRecord, Person, Project } from '../file-record.ts';
import { cutText } from './cut-text.ts';
import { isJsonObject } from './parse-json.ts';

const LONGEST_NAME = 1_024;
const LONGEST_WORD = 128;
const LONGEST_ADDRESS = 4_096;

// Whole numbers sometimes come as text.
const wholeNumber = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
  .pipe(z.int().nonnegative());
const flag = z.boolean().catch(false);
// Names are compared and sorted, which takes long for long ones.
const name = z
  .string()
  .min(1)
  .transform((value) => cutText(value, LONGEST_NAME));

/**
 * A file record (service interface, section 2.1): what is missing or odd but not vital is empty. Read
 * by hand: folders hold tens of thousands, and a schema that fails costs many times a good record.
 */
export const fileRecordSchema: z.ZodType<FileRecord> = z.unknown().transform((value, context) => {
  const record = readFileRecord(value);
  if (record) return record;
  context.issues.push({ code: 'custom', input: value });
  return z.NEVER;
});

function readFileRecord(value: unknown): FileRecord | null {
  if (!isJsonObject(value)) return null;
  const field = (key: string) => value[key];
  const [id, name] = [asWholeNumber(field('id')), asText(field('name'))];
  if (id === null || name === null) return null;
  return {
    id,
    name: cutText(name, LONGEST_NAME),
    byteSize: asWholeNumber(field('byte_size')),
    createdAt: asTime(field('created_at')),
    updatedAt: asTime(field('updated_at')),
    source: asWord(field('source')),
    approvedByMe: field('approved_by_me') === true,
    approvedCount: asWholeNumber(field('approved_count')) ?? 0,
    fileType: asWord(field('file_type')),
    proofCount: asWholeNumber(field('proof_count')) ?? 0,
    url: pickAddress(field('url')),
    creatorId: asCreator(field('creator')),
  };
}

/** A project (service interface, appendix), its title without HTML escapes (appendix 2, R6). */
export const projectSchema: z.ZodType<Project> = z.object({
  id: wholeNumber,
  title: name.transform(decodeHtml),
  archived: flag,
});

/** A person (service interface, appendix); without a name the record is of no use. */
export const personSchema: z.ZodType<Person> = z
  .object({ id: wholeNumber, first_name: z.string().catch(''), last_name: z.string().catch('') })
  .transform((person) => ({
    id: person.id,
    name: decodeHtml(
      cutText(`${person.first_name.trim()} ${person.last_name.trim()}`.trim(), LONGEST_NAME),
    ),
  }))
  .refine((person) => person.name !== '');

/**
 * The `file_id` of an upload's answer (service interface, section 4.4: "contains `file_id`"): at
 * the top, one level down, or in an array of one. Null when there is none.
 */
export function readFileId(answer: unknown): number | null {
  const top = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer;
  if (!isJsonObject(top)) return null;
  for (const candidate of [top, ...Object.values(top)]) {
    const { success, data } = z.object({ file_id: wholeNumber }).safeParse(candidate);
    if (success) return data.file_id;
  }
  return null;
}

function asWholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function asWord(value: unknown): string | null {
  const text = asText(value);
  return text !== null && text.length <= LONGEST_WORD ? text : null;
}

function asCreator(value: unknown): number | null {
  return asWholeNumber(isJsonObject(value) ? value['id'] : value);
}

// ISO 8601 with an offset: without one the time is nobody's.
function asTime(value: unknown): number | null {
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)$/i.exec(
    asWord(value) ?? '',
  );
  if (!match) return null;
  const [, day, clock, offset = ''] = match;
  const zone = offset.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2').toUpperCase();
  const time = Date.parse(`${day}T${clock}${zone}`);
  return Number.isNaN(time) ? null : time;
}

/**
 * Where somebody who follows the link in a browser gets to the file, best first (appendix 2, R7): the
 * page that shows it, which their own sign-in opens; the bytes, which may ask for a key that a
 * browser does not send; then the pictures, the largest first.
 */
const ADDRESSES = ['view', 'download', 'share', 'proofing', 'full_image', 'image', 'thumbnail'];

function pickAddress(url: unknown): string | null {
  const addresses = isJsonObject(url) ? ADDRESSES.map((key) => url[key]) : [url];
  return addresses.find(isUsableAddress) ?? null;
}

function isUsableAddress(address: unknown): address is string {
  if (typeof address !== 'string' || address.length > LONGEST_ADDRESS) return false;
  const url = URL.parse(address);
  return url !== null && isSafeAddress(url);
}
