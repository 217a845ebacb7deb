import type { Bench } from '../report/report.ts';
import { answer } from './answer.ts';
import { attacks } from './attacks.ts';
import { attacksPort } from './attacks-port.ts';
import { bulk } from './bulk.ts';
import { cost } from './cost.ts';
import { filesCrossed } from './files-crossed.ts';
import { interactive } from './interactive.ts';
import { largeFile } from './large-file.ts';
import { ledger } from './ledger.ts';
import { lostAnswer } from './lost-answer.ts';
import { smallBursts } from './small-bursts.ts';
import { start } from './start.ts';

/** All benches, in the order in which they run. */
export const benches: Bench[] = [
  bulk,
  smallBursts,
  lostAnswer,
  interactive,
  answer,
  largeFile,
  ledger,
  start,
  filesCrossed,
  cost,
  attacks,
  attacksPort,
];
