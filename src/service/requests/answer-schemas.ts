import { z } from 'zod';
import { isSafeAddress } from '../../base/index.ts';
import type { FileRecord, Folder, Person, Project } from '../file-record.ts';
import { cutText } from './cut-text.ts';

const LONGEST_NAME = 1_024;
const LONGEST_WORD = 128;
const LONGEST_ADDRESS = 4_096;

// Whole numbers sometimes come as text.
const wholeNumber = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
  .pipe(z.int().nonnegative());
const count = wholeNumber.catch(0);
const flag = z.boolean().catch(false);
const text = z.string().min(1);
// Names are compared and sorted, which takes long for long ones.
const name = text.transform((value) => cutText(value, LONGEST_NAME));
const optionalText = text.max(LONGEST_WORD).nullable().catch(null);
const optionalNumber = wholeNumber.nullable().catch(null);
const time = z.string().transform(parseTime).catch(null);
const address = z.unknown().optional().transform(pickAddress);

/** A file record (service interface, section 2.1): what is missing or odd but not vital is empty. */
export const fileRecordSchema = z
  .object({
    id: wholeNumber,
    name,
    byte_size: optionalNumber,
    created_at: time,
    updated_at: time,
    source: optionalText,
    approved_by_me: flag,
    by_me: flag,
    approved_count: count,
    file_type: optionalText,
    proof_count: count,
    url: address,
    creator: z.object({ id: optionalNumber }).catch({ id: null }),
  })
  .transform(
    (record): FileRecord => ({
      id: record.id,
      name: record.name,
      byteSize: record.byte_size,
      createdAt: record.created_at,
      updatedAt: record.updated_at,
      source: record.source,
      approvedByMe: record.approved_by_me || record.by_me,
      approvedCount: record.approved_count,
      fileType: record.file_type,
      proofCount: record.proof_count,
      url: record.url,
      creatorId: record.creator.id,
    }),
  );

/** A project (service interface, appendix). */
export const projectSchema: z.ZodType<Project> = z.object({
  id: wholeNumber,
  title: name,
  archived: flag,
});

/** A folder or subfolder (service interface, appendix). */
export const folderSchema: z.ZodType<Folder> = z
  .object({
    id: wholeNumber,
    name,
    level: wholeNumber.catch(1),
    parent_id: optionalNumber,
  })
  .transform(({ id, name, level, parent_id: parentId }) => ({ id, name, level, parentId }));

/** A person (service interface, appendix); without a name the record is of no use. */
export const personSchema: z.ZodType<Person> = z
  .object({ id: wholeNumber, first_name: z.string().catch(''), last_name: z.string().catch('') })
  .transform((person) => ({
    id: person.id,
    name: cutText(`${person.first_name.trim()} ${person.last_name.trim()}`.trim(), LONGEST_NAME),
  }))
  .refine((person) => person.name !== '');

/**
 * The `file_id` of an upload's answer (service interface, section 4.4: "contains `file_id`"): at
 * the top, one level down, or in an array of one. Null when there is none.
 */
export function readFileId(answer: unknown): number | null {
  const top = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer;
  if (!isObject(top)) return null;
  for (const candidate of [top, ...Object.values(top)]) {
    const { success, data } = z.object({ file_id: wholeNumber }).safeParse(candidate);
    if (success) return data.file_id;
  }
  return null;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

// The address of the file goes before those of its pictures.
function pickAddress(url: unknown): string | null {
  const addresses = isObject(url)
    ? ['download', 'share', 'image', 'thumbnail'].map((key): unknown => Reflect.get(url, key))
    : [url];
  return addresses.find(isUsableAddress) ?? null;
}

function isUsableAddress(address: unknown): address is string {
  if (typeof address !== 'string' || address.length > LONGEST_ADDRESS) return false;
  const url = URL.parse(address);
  return url !== null && isSafeAddress(url);
}
