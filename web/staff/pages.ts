import { Apps } from './apps/Apps.tsx'
import { Audit } from './audit/Audit.tsx'
import { withTwoStep } from './common/TwoStepBoundary.tsx'
import { Emails } from './emails/Emails.tsx'
import { Invitations } from './invitations/Invitations.tsx'
import { Organization } from './organizations/Organization.tsx'
import { Organizations } from './organizations/Organizations.tsx'
import { Overview } from './overview/Overview.tsx'
import { System } from './system/System.tsx'
import { User } from './user/User.tsx'
import { Users } from './users/Users.tsx'
import './staff.css'

export const pages = {
  Apps: withTwoStep(Apps),
  Audit: withTwoStep(Audit),
  Emails: withTwoStep(Emails),
  Invitations: withTwoStep(Invitations),
  Organization: withTwoStep(Organization),
  Organizations: withTwoStep(Organizations),
  Overview: withTwoStep(Overview),
  System: withTwoStep(System),
  User: withTwoStep(User),
  Users: withTwoStep(Users),
}
