import { z } from 'zod';
import { isSafeAddress } from '../../base/index.ts';
import { decodeHtml } from '../../transfers/decode-html.ts';
import type { FileRecord, Person, Project } from '../file-record.ts';
import { isJsonObject } from './parse-json.ts';

// Whole numbers sometimes come as text.
const wholeNumber = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
  .pipe(z.int().nonnegative());
const count = wholeNumber.catch(0);
const flag = z.boolean().catch(false);
const text = z.string().min(1);
const optionalText = text.nullable().catch(null);
const optionalNumber = wholeNumber.nullable().catch(null);
const time = z.string().transform(parseTime).catch(null);
const address = z.unknown().optional().transform(pickAddress);

/** A file record (service interface, section 2.1): what is missing or odd but not vital is empty. */
export const fileRecordSchema = z
  .object({
    id: wholeNumber,
    name: text,
    byte_size: optionalNumber,
    created_at: time,
    updated_at: time,
    source: optionalText,
    approved_by_me: flag,
    approved_count: count,
    file_type: optionalText,
    proof_count: count,
    url: address,
    creator: z
      .union([z.object({ id: optionalNumber }).transform(({ id }) => id), wholeNumber])
      .nullable()
      .catch(null),
  })
  .transform(
    (record): FileRecord => ({
      id: record.id,
      name: record.name,
      byteSize: record.byte_size,
      createdAt: record.created_at,
      updatedAt: record.updated_at,
      source: record.source,
      approvedByMe: record.approved_by_me,
      approvedCount: record.approved_count,
      fileType: record.file_type,
      proofCount: record.proof_count,
      url: record.url,
      creatorId: record.creator,
    }),
  );

/** A project (service interface, appendix), its title without HTML escapes (appendix 2, R6). */
export const projectSchema: z.ZodType<Project> = z.object({
  id: wholeNumber,
  title: text.transform(decodeHtml),
  archived: flag,
});

/** A person (service interface, appendix); without a name the record is of no use. */
export const personSchema: z.ZodType<Person> = z
  .object({ id: wholeNumber, first_name: z.string().catch(''), last_name: z.string().catch('') })
  .transform((person) => ({
    id: person.id,
    name: decodeHtml(`${person.first_name.trim()} ${person.last_name.trim()}`.trim()),
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

// ISO 8601 with an offset: without one the time is nobody's.
function parseTime(value: string): number | null {
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)$/i.exec(
    value,
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
  const url = typeof address === 'string' ? URL.parse(address) : null;
  return url !== null && isSafeAddress(url);
}
