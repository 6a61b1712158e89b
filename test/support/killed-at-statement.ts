/**
 * Loaded before a program of ours (`node --import`): ends it as `kill -9` does, just before PostgreSQL is sent the statement
 * that the environment names (killed-at.ts). The moment is one of the work, not of the clock.
 */
import pg from 'pg'
import { type KilledAt, killedAtVariable } from './killed-at.ts'

const { statement, time }: KilledAt = JSON.parse(process.env[killedAtVariable] ?? '')
const wanted = new RegExp(statement)
const send: (...args: unknown[]) => unknown = pg.Client.prototype.query
let seen = 0

const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : (query as { text: string }).text

const sendOrDie = function (this: pg.Client, ...args: unknown[]): unknown {
  if (wanted.test(textOf(args[0]))) seen += 1
  if (seen >= time) process.kill(process.pid, 'SIGKILL')
  return send.apply(this, args)
}

Object.assign(pg.Client.prototype, { query: sendOrDie })
