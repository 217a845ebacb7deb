import type { CallOptions } from '../client.ts';
import type { Exchange } from '../requests/answer-error.ts';
import type { ReadRecords } from '../requests/read-answer.ts';
import { callOnce, operationOf, repeat, type ServiceParts } from '../requests/service-calls.ts';

/** The most entries that a paging account puts in an answer (service interface, appendix 2, R1). */
export const PAGE_SIZE = 100;
/** The most entries of a list that are read. */
export const MOST_RECORDS = 200_000;

/** One answer of a list. */
export interface Page<T> extends ReadRecords<T> {
  /** The service's clock at the answer (its `Date` header); null when it sent none. */
  serviceTime: number | null;
  /** Our clock when the request was sent. */
  askedAt: number;
}

/**
 * Asks for a page of a list: from the entry with index `start` on, or with null as the specified
 * interface asks, without parameters.
 */
export type ReadPage<T> = (start: number | null) => Promise<Page<T>>;

export interface ListAddress<T> {
  /** The path of the list, below `{base_url}`. */
  path: string;
  /** Reads the entries of one answer. */
  read(exchange: Exchange): Promise<ReadRecords<T>>;
}

/** Pages of a list, each a request of its own with the retries of its lane. */
export function pageReader<T>(
  parts: ServiceParts,
  { path, read }: ListAddress<T>,
  options: CallOptions,
): ReadPage<T> {
  return (start) => {
    const query = start === null ? '' : `?start=${start}&limit=${PAGE_SIZE}`;
    const operation = operationOf('GET', path + query);
    return repeat(parts, options, () =>
      callOnce(parts, { operation, options }, async (answer, apiKey) => {
        const { serviceTime, askedAt } = answer;
        return { ...(await read({ operation, answer, apiKey })), serviceTime, askedAt };
      }),
    );
  };
}
