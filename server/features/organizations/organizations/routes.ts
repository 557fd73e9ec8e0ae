import { callerOf, membershipOf } from '../../../core/access/access.ts'
import { actorOf } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { toMember } from '../../../core/memberships/wire.ts'
import { isSlugTaken } from '../../../core/organizations/store.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { answers } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/typed-app.ts'
import { createOrganization } from './create-organization.ts'
import { deleteOrganization } from './delete-organization.ts'
import {
  CheckSlugAnswer,
  CheckSlugBody,
  CreatedOrganization,
  CreateOrganizationBody,
  DeletedOrganizationId,
  DeleteOrganizationBody,
  Organization,
  OrganizationAnswer,
  SetActiveBody,
  UpdateOrganizationBody,
} from './schemas.ts'
import { setActiveOrganization } from './set-active-organization.ts'
import { updateOrganization } from './update-organization.ts'
import { toOrganization } from './wire.ts'

export function registerOrganizationRoutes(app: App, context: Context): void {
  app.post(
    '/api/auth/organization/create',
    {
      config: { access: 'verified session', rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Create an organization with the caller as owner',
        body: CreateOrganizationBody,
        response: answers(
          CreatedOrganization,
          'YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION',
          'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS',
          'ORGANIZATION_SLUG_ALREADY_TAKEN',
        ),
      },
    },
    async (request) => {
      const { keepCurrentActiveOrganization = false, name, slug, logo = null, metadata = null } = request.body
      const input = { name, slug, logo, metadata, keepCurrentActiveOrganization }
      const { organization, owner } = await createOrganization(context, actorOf(request), callerOf(request), input)
      return { ...toOrganization(organization), members: [toMember(owner)] }
    },
  )

  app.post(
    '/api/auth/organization/check-slug',
    {
      config: { access: 'verified session', rateLimit: 'change', impersonated: 'allowed' },
      schema: {
        summary: 'Whether a slug is free',
        body: CheckSlugBody,
        response: answers(CheckSlugAnswer, 'ORGANIZATION_SLUG_ALREADY_TAKEN'),
      },
    },
    async (request) => {
      if (await isSlugTaken(context.database, request.body.slug))
        throw new ApiError('ORGANIZATION_SLUG_ALREADY_TAKEN', { field: 'slug' })
      return { message: 'No organization has this slug yet.', status: true }
    },
  )

  app.post(
    '/api/auth/organization/set-active',
    {
      config: { access: 'session', rateLimit: 'change', impersonated: 'allowed' },
      schema: {
        summary: 'Set the active organization of the session, by id or slug; a null id clears it',
        body: SetActiveBody,
        response: answers(OrganizationAnswer, 'ORGANIZATION_NOT_FOUND'),
      },
    },
    async (request) => {
      const organization = await setActiveOrganization(context, actorOf(request), callerOf(request), request.body)
      return organization && toOrganization(organization)
    },
  )

  app.post(
    '/api/auth/organization/update',
    {
      config: { access: { organization: 'organization.update' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Update the fields of an organization that `data` names',
        body: UpdateOrganizationBody,
        response: answers(Organization, 'ORGANIZATION_SLUG_ALREADY_TAKEN'),
      },
    },
    async (request) =>
      toOrganization(await updateOrganization(context, actorOf(request), membershipOf(request), request.body.data)),
  )

  app.post(
    '/api/auth/organization/delete',
    {
      config: { access: { organization: 'organization.delete' }, rateLimit: 'change', impersonated: 'refused' },
      schema: {
        summary: 'Delete an organization with its members, invitations and API keys',
        body: DeleteOrganizationBody,
        response: answers(DeletedOrganizationId),
      },
    },
    async (request, reply) => {
      reply.type('application/json; charset=utf-8')
      return JSON.stringify(await deleteOrganization(context, actorOf(request), membershipOf(request)))
    },
  )
}
