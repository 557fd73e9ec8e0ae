import { Members } from './Members.tsx'
import { NewOrganization } from './NewOrganization.tsx'
import { Overview } from './Overview.tsx'

export const pages = { Members, NewOrganization, Overview }
