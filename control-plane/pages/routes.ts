/** The list of the pages that are opened by a session, or lead to one. What programs call is in control-plane/routes.ts. */
import type { Route } from '../platform/http/route.ts'
import { auditRoutes } from './app/audit.ts'
import { profileRoutes } from './app/profile.ts'
import { sessionRoutes } from './app/sessions.ts'
import { signInRoutes } from './sign-in/routes.ts'

export const pages: Route[] = [...signInRoutes, ...auditRoutes, ...profileRoutes, ...sessionRoutes]
