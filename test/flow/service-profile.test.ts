import { expect, it, onTestFinished } from 'vitest';
import { startStack } from '../support/start-stack.ts';

it('the flow tests run the file service in the profile of their project', async ({ task }) => {
  const stack = await startStack();
  onTestFinished(() => stack.stop());
  const profile = task.file.projectName === 'flow-real' ? 'real' : 'specified';
  expect(stack.service.behaviour.profile()).toBe(profile);
});
