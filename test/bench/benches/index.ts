import type { Bench } from '../report/report.ts';
import { answer } from './answer.ts';
import { bulk } from './bulk.ts';
import { interactive } from './interactive.ts';
import { largeFile } from './large-file.ts';

/** All benches, in the order in which they run. */
export const benches: Bench[] = [bulk, interactive, answer, largeFile];
