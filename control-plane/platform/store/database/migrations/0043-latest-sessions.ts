/** The newest sessions of an account are found without walking over those of others. */
import { index } from '../ddl.ts'

export const latestSessions: string[] = [index('check_sessions_account', 'check_sessions (account_id, id)')]
