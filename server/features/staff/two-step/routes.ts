import { requireStaff } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { MANAGED_USER_ERRORS } from '../../../core/users/lock-managed-user.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses, StatusResponse } from '../../../platform/http/schemas.ts'
import { resetTwoStep } from './reset-two-step.ts'
import { ResetTwoStepBody } from './schemas.ts'

export function registerTwoStepResetRoute(app: HttpApp, context: Context): void {
  app.post(
    '/api/auth/admin/reset-two-factor',
    {
      config: {
        access: { staff: 'user.reset-two-factor', fresh: true },
        rateLimit: 'change',
        impersonated: 'refused',
      },
      schema: {
        summary: 'Turn off the two-step verification of a user who lost it, revoke all sessions and notify the user',
        body: ResetTwoStepBody,
        response: responses(
          StatusResponse,
          ...MANAGED_USER_ERRORS,
          'TWO_FACTOR_NOT_ENABLED',
          'YOU_CANNOT_RESET_YOUR_OWN_TWO_FACTOR',
        ),
      },
    },
    async (request) => {
      await resetTwoStep(context, actorOf(request), requireStaff(request), request.body)
      return { status: true }
    },
  )
}
