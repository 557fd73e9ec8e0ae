import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { onEachDatabase } from '../support/service.ts'
import { administrator, invitationLink, PASSWORD } from '../support/users.ts'

onEachDatabase('First token', (service) => {
  test('An invited user signs up, accepts the invitation and gets a token that another service verifies', async () => {
    const { client: owner } = await administrator(service())
    const created = await owner.post('/api/auth/organization/create', {
      name: 'Example Works',
      slug: 'example-works',
      metadata: { 'client-code': 'EW-1' },
    })
    assert.equal(created.status, 200)
    assert.equal(created.body.metadata, '{"client-code":"EW-1"}')
    assert.equal(created.body.members[0].role, 'owner')
    const active = await owner.post('/api/auth/organization/set-active', { organizationSlug: 'example-works' })
    assert.equal(active.body.id, created.body.id)

    const invitation = await owner.post('/api/auth/organization/invite-member', {
      email: 'Hire@Example.com',
      role: 'member',
    })
    assert.equal(invitation.status, 200)
    assert.equal(invitation.body.status, 'pending')
    assert.equal(invitation.body.email, 'hire@example.com')
    assert.ok(!JSON.stringify(invitation.body).includes('secret'))

    const invited = service().client()
    const opened = await invited.get(await invitationLink(service(), 'hire@example.com'))
    assert.equal(opened.status, 302)
    assert.equal(opened.headers.get('location'), '/sign-up')
    assert.match(opened.headers.get('set-cookie') ?? '', /HttpOnly; SameSite=Lax/)
    const shown = await invited.get('/api/invitation')
    assert.equal(shown.body.invitation.organizationName, 'Example Works')
    assert.equal(shown.body.addressKnown, false)

    const signedUp = await invited.post('/api/auth/sign-up/email', {
      name: 'Hilda Hire',
      email: 'hire@example.com',
      password: PASSWORD,
    })
    assert.equal(signedUp.status, 200)
    assert.equal(signedUp.body.user.emailVerified, true)
    assert.equal(signedUp.headers.get('set-auth-token'), signedUp.body.token)
    const accepted = await invited.post('/api/auth/organization/accept-invitation', {
      invitationId: invitation.body.id,
    })
    assert.equal(accepted.status, 200)
    assert.equal(accepted.body.invitation.status, 'accepted')
    assert.equal(accepted.body.member.role, 'member')

    const session = await invited.get('/api/auth/get-session')
    assert.equal(session.body.user.email, 'hire@example.com')
    assert.equal(session.body.session.activeOrganizationId, created.body.id)
    const byCookie = await invited.get('/api/token?org=example-works')
    const byBearer = await service()
      .client()
      .get('/api/token?org=example-works', { headers: { authorization: `bEARER ${signedUp.body.token}` } })

    const keys = createRemoteJWKSet(new URL('/api/auth/jwks', service().baseUrl))
    for (const { body } of [byCookie, byBearer]) {
      const { payload, protectedHeader } = await jwtVerify(body.token, keys, {
        issuer: service().baseUrl,
        audience: 'accounts-services',
        algorithms: ['RS256'],
      })
      const { iat = 0, exp = 0, jti, auth_time: authenticatedAt, ...claims } = payload
      assert.deepEqual(claims, {
        iss: service().baseUrl,
        aud: 'accounts-services',
        sub: signedUp.body.user.id,
        email: 'hire@example.com',
        name: 'Hilda Hire',
        org_id: created.body.id,
        org_slug: 'example-works',
        org_role: 'member',
        org_meta: { 'client-code': 'EW-1' },
        is_staff: false,
        amr: ['pwd'],
      })
      assert.ok(typeof authenticatedAt === 'number' && authenticatedAt <= iat && authenticatedAt > iat - 600)
      assert.equal(exp - iat, 900)
      assert.match(jti ?? '', /^[\w-]{43}~[\w-]{43}$/)
      assert.equal(protectedHeader.alg, 'RS256')
    }

    const signedOut = await invited.post('/api/auth/sign-out')
    assert.deepEqual(signedOut.body, { success: true, url: null, redirect: false })
    assert.equal((await invited.get('/api/auth/get-session')).body, null)
    const afterwards = { headers: { authorization: `Bearer ${signedUp.body.token}` } }
    assert.equal((await service().client().get('/api/token?org=example-works', afterwards)).status, 401)
  })
})
