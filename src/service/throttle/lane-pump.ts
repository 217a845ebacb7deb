import type { Bell } from './bell.ts';
import type { Gate, Pass } from './gate.ts';
import type { Place, Places } from './places.ts';
import type { Admission, Lane } from './throttle.ts';
import type { WaitingLine } from './waiting-line.ts';

/** What moves one lane forward. */
export interface LanePump {
  lane: Lane;
  line: WaitingLine;
  gate: Gate;
  bell: Bell;
  places: Places;
  /** Waits until the lane's pace lets its next call go. */
  pace: () => Promise<void>;
  /** Told that a call of the lane goes now. */
  sent: () => void;
  /** Learns what other instances know, before anything is sent. */
  consult: () => Promise<void>;
  /** Makes the admission of the call that got this place and this pass. */
  admission: (place: Place, pass: Pass) => Admission;
}

/**
 * Admits one call of the lane, or none when nobody is left or the gate has closed meanwhile. Which
 * call it is is decided when its place has been granted: nobody's place is held while others wait,
 * and at most one place a lane is ever held idle.
 */
export async function admitNext(pump: LanePump): Promise<void> {
  const { lane, line, gate, bell } = pump;
  await bell.until(() => line.size() > 0 && gate.mayPass(lane));
  await pump.consult();
  await pump.pace();
  const timeoutMs = line.peek()?.timeoutMs ?? 0;
  const place = await pump.places.take(lane, timeoutMs);
  try {
    await pump.consult();
  } catch (error) {
    place.free();
    throw error;
  }
  if (!admitTo(place, pump, timeoutMs)) place.free();
}

function admitTo(place: Place, pump: LanePump, timeoutMs: number): boolean {
  const waiter = pump.line.peek();
  // A shared place that lasts too short for whose turn it has become would be lost under its call.
  if (!waiter || waiter.timeoutMs > timeoutMs) return false;
  const pass = pump.gate.pass(pump.lane);
  if (!pass) return false;
  pump.line.next();
  pump.sent();
  waiter.admit(pump.admission(place, pass));
  return true;
}
