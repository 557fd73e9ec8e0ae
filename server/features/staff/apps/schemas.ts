import { Type } from 'typebox'
import { Id, Query } from '../../../platform/http/schemas.ts'
import { Apps } from '../../account/apps/schemas.ts'

export const ListUserAppsQuery = Query({ userId: Id })
export const ListUserAppsResponse = Type.Object({ apps: Apps })
