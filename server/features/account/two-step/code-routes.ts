import type { FastifyReply, FastifyRequest } from 'fastify'
import { assertOneSessionToken } from '../../../core/access/caller.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { deviceOf } from '../../../core/devices/device.ts'
import { TRUST_MILLISECONDS } from '../../../core/devices/trusted-store.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { sendSessionToken } from '../../../core/sessions/send-session-token.ts'
import { toUser } from '../../../core/users/wire.ts'
import {
  type Cookies,
  SESSION_COOKIE,
  TRUSTED_DEVICE_COOKIE,
  TWO_FACTOR_COOKIE,
} from '../../../platform/http/cookies.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses, StatusResponse } from '../../../platform/http/schemas.ts'
import { AUTHENTICATOR_APP, EMAIL_CODE } from './factors.ts'
import {
  SendCodeBody,
  VerifyCodeBody,
  VerifyCodeResponse,
  VerifyRecoveryCodeBody,
  VerifyRecoveryCodeResponse,
} from './schemas.ts'
import { sendCode } from './send-code.ts'
import type { CodeTarget } from './subject.ts'
import { verifyCode } from './verify-code.ts'
import { type Recovered, verifyRecoveryCode } from './verify-recovery-code.ts'

const CODE_ERRORS = [
  'UNAUTHORIZED',
  'INVALID_TWO_FACTOR_COOKIE',
  'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE',
  'ACCOUNT_TEMPORARILY_LOCKED',
] as const

/** Without a session, the routes finish a sign-in. With a session, they are a step-up. */
const OF_SIGN_IN = {
  access: 'anyone',
  rateLimit: 'guess',
  impersonated: 'refused',
  credentials: 'may disagree',
} as const

interface CodeBody {
  code: string
  expectedCreatedAt?: string
  trustDevice?: boolean
  twoFactorToken?: string
}

export function registerCodeRoutes(app: HttpApp, context: Context, cookies: Cookies, rateLimits: RateLimits): void {
  /** The cookie comes last, because it may be of an earlier sign-in. */
  function targetOf(request: FastifyRequest, twoFactorToken: string | undefined): CodeTarget {
    if (twoFactorToken !== undefined) return { challengeToken: twoFactorToken }
    if (request.caller) {
      assertOneSessionToken(request, cookies)
      return { caller: request.caller }
    }
    const challengeToken = cookies.read(request, TWO_FACTOR_COOKIE)
    if (challengeToken === undefined) throw new ApiError('INVALID_TWO_FACTOR_COOKIE')
    return { challengeToken }
  }

  function attemptOf(
    request: FastifyRequest,
    { code, expectedCreatedAt, trustDevice = false, twoFactorToken }: CodeBody,
  ) {
    return {
      code,
      expectedCreatedAt,
      target: targetOf(request, twoFactorToken),
      trustDevice,
      formerToken: cookies.read(request, SESSION_COOKIE),
      formerTrustToken: cookies.read(request, TRUSTED_DEVICE_COOKIE),
      device: deviceOf(request, cookies),
    }
  }

  function present(
    request: FastifyRequest,
    reply: FastifyReply,
    { user, session, trustToken }: Omit<Recovered, 'remainingCount'>,
  ) {
    if (session) sendSessionToken(reply, cookies, session)
    else if (cookies.read(request, TWO_FACTOR_COOKIE) !== undefined) cookies.clear(reply, TWO_FACTOR_COOKIE)
    if (trustToken !== undefined) cookies.set(reply, TRUSTED_DEVICE_COOKIE, trustToken, TRUST_MILLISECONDS / 1000)
    const { twoFactorToken } = request.body as CodeBody
    return {
      user: toUser(user, context.now()),
      // Only a client without cookies gets the token in the body, because scripts of a page must not read it.
      ...(twoFactorToken !== undefined && trustToken !== undefined && { trustDeviceToken: trustToken }),
    }
  }

  app.post(
    '/api/auth/two-factor/send-otp',
    {
      config: { ...OF_SIGN_IN, rateLimit: 'mail' },
      schema: {
        summary: 'Send a code by email, to a user of codes by email; it replaces the former code',
        body: SendCodeBody,
        response: responses(
          StatusResponse,
          'UNAUTHORIZED',
          'INVALID_TWO_FACTOR_COOKIE',
          'OTP_NOT_ENABLED',
          'ACCOUNT_TEMPORARILY_LOCKED',
        ),
      },
    },
    async (request) => {
      const target = targetOf(request, request.body.twoFactorToken)
      await rateLimits.countGuess(request, () => sendCode(context, actorOf(request), target))
      return { status: true }
    },
  )

  for (const { path, factor, ownErrors } of [
    { path: 'verify-totp', factor: AUTHENTICATOR_APP, ownErrors: ['TOTP_NOT_ENABLED'] as const },
    { path: 'verify-otp', factor: EMAIL_CODE, ownErrors: ['OTP_NOT_ENABLED', 'OTP_HAS_EXPIRED'] as const },
  ]) {
    app.post(
      `/api/auth/two-factor/${path}`,
      {
        config: OF_SIGN_IN,
        schema: {
          summary: `Verify a code ${factor === EMAIL_CODE ? 'that was sent by email' : 'of the authenticator app'}: finishes a sign-in, makes a session fresh, or ends the setup`,
          body: VerifyCodeBody,
          response: responses(
            VerifyCodeResponse,
            ...CODE_ERRORS,
            ...ownErrors,
            'INVALID_CODE',
            'TWO_FACTOR_REQUIRED',
            'TWO_FACTOR_SETUP_REPLACED',
          ),
        },
      },
      async (request, reply) => {
        const attempt = { ...attemptOf(request, request.body), factor }
        const verified = await rateLimits.countGuess(request, () => verifyCode(context, actorOf(request), attempt))
        return { token: verified.session.token, ...present(request, reply, verified) }
      },
    )
  }

  app.post(
    '/api/auth/two-factor/verify-backup-code',
    {
      config: OF_SIGN_IN,
      schema: {
        summary: 'Verify a recovery code, which replaces the second step once',
        body: VerifyRecoveryCodeBody,
        response: responses(
          VerifyRecoveryCodeResponse,
          ...CODE_ERRORS,
          'BACKUP_CODES_NOT_ENABLED',
          'INVALID_BACKUP_CODE',
        ),
      },
    },
    async (request, reply) => {
      const attempt = { ...attemptOf(request, request.body), startsSession: request.body.disableSession !== true }
      const verified = await rateLimits.countGuess(request, () =>
        verifyRecoveryCode(context, actorOf(request), attempt),
      )
      return {
        ...(verified.session && { token: verified.session.token }),
        ...present(request, reply, verified),
        remainingBackupCodes: verified.remainingCount,
      }
    },
  )
}
