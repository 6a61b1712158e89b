/** Which walls an agent's machine holds round code of users; null: it has not said. */
export const agentWalls: string[] = ['alter table agents add column walls text']
