/** What a job's "lane" was: the session that asked for it, or nothing. A name in the catalogue changes, and no row. */
export const sessionOfJobs: string[] = ['alter table jobs rename column lane to session_id']
