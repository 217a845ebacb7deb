const USER_ID = /^[UW][A-Z0-9]{1,30}$/;

/** Whether it is Slack's identifier of a person, and no other text. */
export function isUserId(id: string | null): id is string {
  return id !== null && USER_ID.test(id);
}
