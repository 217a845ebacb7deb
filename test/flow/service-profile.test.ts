import { expect, it, onTestFinished } from 'vitest';
import { startStack } from '../support/start-stack.ts';

it('the flows meet the file service in the profile that their run is named after', async ({
  task,
}) => {
  const stack = await startStack();
  onTestFinished(() => stack.stop());
  expect(task.file.projectName).toBe(`flow-${stack.service.behaviour.profile()}`);
});
