import { requireCaller } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { sendSessionToken } from '../../../core/sessions/send-session-token.ts'
import { type Cookies, TRUSTED_DEVICE_COOKIE } from '../../../platform/http/cookies.ts'
import type { HttpApp } from '../../../platform/http/http-app.ts'
import { responses, StatusResponse } from '../../../platform/http/schemas.ts'
import { beginTwoStepSetup } from './begin-setup.ts'
import { registerCodeRoutes } from './code-routes.ts'
import { disableTwoStep } from './disable-two-step.ts'
import { generateRecoveryCodes } from './generate-recovery-codes.ts'
import { getTwoStepStatus } from './get-status.ts'
import { getTotpUri } from './get-totp-uri.ts'
import {
  EnableBody,
  EnableResponse,
  PasswordBody,
  RecoveryCodesResponse,
  RevokeTrustedDeviceBody,
  TotpUriResponse,
  TrustedDevices,
  TwoStepStatus,
} from './schemas.ts'
import { listOwnTrustedDevices, revokeTrustedDevice } from './trusted-devices.ts'

const PASSWORD_ERRORS = ['INVALID_PASSWORD', 'PASSWORD_TOO_LONG', 'SESSION_NOT_FRESH'] as const
/** The rate limit is `guess`, because these routes verify a password. */
const OF_SESSION = { access: 'session', rateLimit: 'guess', impersonated: 'refused' } as const

export function registerTwoStepRoutes(app: HttpApp, context: Context, cookies: Cookies, rateLimits: RateLimits): void {
  registerSettings(app, context, cookies, rateLimits)
  registerCodeRoutes(app, context, cookies, rateLimits)
  registerTrustedDevices(app, context, cookies)
}

function registerSettings(app: HttpApp, context: Context, cookies: Cookies, rateLimits: RateLimits): void {
  app.get(
    '/api/auth/two-factor/get-status',
    {
      config: { access: 'session', rateLimit: 'none', impersonated: 'refused' },
      schema: { summary: "The caller's two-step verification", response: responses(TwoStepStatus) },
    },
    (request) => getTwoStepStatus(context, requireCaller(request)),
  )

  app.post(
    '/api/auth/two-factor/enable',
    {
      config: OF_SESSION,
      schema: {
        summary: 'Begin the setup of two-step verification; it is on with the first verified code',
        body: EnableBody,
        response: responses(
          EnableResponse,
          ...PASSWORD_ERRORS,
          'TOTP_ALREADY_ENABLED',
          'TWO_FACTOR_ALREADY_ENABLED',
          'TWO_FACTOR_REQUIRED',
        ),
      },
    },
    (request) => {
      const { password, method = 'totp', issuer } = request.body
      return beginTwoStepSetup(context, rateLimits, actorOf(request), requireCaller(request), {
        password,
        method,
        issuer,
      })
    },
  )

  app.post(
    '/api/auth/two-factor/get-totp-uri',
    {
      config: OF_SESSION,
      schema: {
        summary:
          'The text of the QR code, to set up the same authenticator app on another device; the user is told by email',
        body: PasswordBody,
        response: responses(TotpUriResponse, ...PASSWORD_ERRORS, 'TOTP_NOT_ENABLED'),
      },
    },
    async (request) => {
      const { password } = request.body
      return { totpURI: await getTotpUri(context, rateLimits, actorOf(request), requireCaller(request), password) }
    },
  )

  app.post(
    '/api/auth/two-factor/generate-backup-codes',
    {
      config: OF_SESSION,
      schema: {
        summary: 'Replace the recovery codes',
        body: PasswordBody,
        response: responses(RecoveryCodesResponse, ...PASSWORD_ERRORS, 'TWO_FACTOR_NOT_ENABLED'),
      },
    },
    async (request) => {
      const { password } = request.body
      const caller = requireCaller(request)
      const backupCodes = await generateRecoveryCodes(context, rateLimits, actorOf(request), caller, password)
      return { status: true, backupCodes }
    },
  )

  app.post(
    '/api/auth/two-factor/disable',
    {
      config: OF_SESSION,
      schema: {
        summary: 'Turn two-step verification off; every other session is revoked, and this one gets a new token',
        body: PasswordBody,
        response: responses(StatusResponse, ...PASSWORD_ERRORS, 'TWO_FACTOR_NOT_ENABLED'),
      },
    },
    async (request, reply) => {
      const { password } = request.body
      const rotated = await disableTwoStep(context, rateLimits, actorOf(request), requireCaller(request), password)
      sendSessionToken(reply, cookies, rotated)
      if (cookies.read(request, TRUSTED_DEVICE_COOKIE) !== undefined) cookies.clear(reply, TRUSTED_DEVICE_COOKIE)
      return { status: true }
    },
  )
}

function registerTrustedDevices(app: HttpApp, context: Context, cookies: Cookies): void {
  app.get(
    '/api/auth/two-factor/list-trusted-devices',
    {
      config: { access: 'session', rateLimit: 'none', impersonated: 'refused' },
      schema: {
        summary: 'List the devices that are not asked for the second step, the newest first',
        response: responses(TrustedDevices),
      },
    },
    (request) => listOwnTrustedDevices(context, requireCaller(request), cookies.read(request, TRUSTED_DEVICE_COOKIE)),
  )

  app.post(
    '/api/auth/two-factor/revoke-trusted-device',
    {
      config: { access: 'session', rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Ask a device for the second step again',
        body: RevokeTrustedDeviceBody,
        response: responses(StatusResponse, 'TRUSTED_DEVICE_NOT_FOUND'),
      },
    },
    async (request) => {
      await revokeTrustedDevice(context, actorOf(request), requireCaller(request), request.body.id)
      return { status: true }
    },
  )
}
