-- What people take out, by name: the columns of each export, in their order. Names stay; new columns go to the end.
-- The triggers keep everybody who is on the suppression list out of contacts; here nobody of them comes out either, and
-- texts from the web are masked (sql/masking.sql).

-- name: contacts
select
    contacts.email,
    contacts.email_type,
    contacts.name,
    contacts.role,
    contacts.phone_number as phone,
    contacts.fax_number as fax,
    domains.domain,
    engine.masked(business.business_name) as business,
    business.main_category as category,
    engine.masked(business.street_address) as street,
    business.city,
    business.state,
    business.zip,
    coalesce(business.country_code, domains.region) as country,
    contacts.source_url,
    contacts.method,
    contacts.created_at as found_at,
    contacts.updated_at as changed_at,
    contacts.id as contact_id
from engine.reachable_contact as contacts
join domains on domains.id = contacts.domain_id
left join lateral ({business}) as business on true

-- name: domains
select
    domains.domain,
    engine.masked(domains.home_url) as home_url,
    domains.alias_of,
    domains.is_parked,
    engine.masked(domains.title) as title,
    engine.masked(domains.description) as description,
    domains.language,
    domains.cms,
    domains.wordpress_version,
    domains.wordpress_theme,
    domains.has_elementor,
    domains.has_divi,
    domains.has_woocommerce,
    array(select jsonb_object_keys(domains.tech_stack) order by 1) as technologies,
    array(select given from unnest(domains.email_addresses) as given
          where not engine.is_suppressed_address(given)) as emails,
    array(select given from unnest(domains.phone_numbers) as given
          where not engine.is_suppressed_number(given)) as phones,
    domains.facebook_url as facebook,
    domains.twitter_url as twitter,
    domains.linkedin_url as linkedin,
    domains.instagram_url as instagram,
    domains.youtube_url as youtube,
    engine.masked(business.business_name) as business,
    business.main_category as category,
    business.city,
    coalesce(business.country_code, domains.region) as country,
    (select count(*) from contacts where contacts.domain_id = domains.id) as contacts,
    (select count(*) from pages where pages.domain_id = domains.id) as pages,
    domains.status,
    engine.masked(domains.status_result) as result,
    engine.masked(domains.status_error) as error,
    domains.sitemap_analysis_status as sitemap_status,
    engine.masked(domains.sitemap_analysis_result) as sitemap_result,
    engine.masked(domains.sitemap_analysis_error) as sitemap_error,
    domains.created_at as found_at,
    domains.updated_at as changed_at,
    domains.id as domain_id
from domains
left join lateral ({business}) as business on true
where not engine.is_suppressed_host(domains.domain)

-- name: pages
select
    engine.masked(pages.url) as url,
    domains.domain,
    pages.page_type,
    engine.masked(pages.title) as title,
    engine.masked(pages.h1) as h1,
    engine.masked(pages.description) as description,
    pages.word_count,
    pages.path_depth as depth,
    pages.honeybee_json #> '{{decision,confidence}}' as confidence,
    pages.page_curation_status as curation,
    pages.page_processing_status as processing,
    engine.masked(pages.page_processing_result) as result,
    engine.masked(pages.page_processing_error) as error,
    pages.contact_scrape_status as contact_status,
    pages.lead_source,
    pages.last_modified,
    pages.created_at as found_at,
    pages.updated_at as changed_at,
    pages.id as page_id
from pages
join domains on domains.id = pages.domain_id
where not engine.is_suppressed_host(domains.domain)

-- name: business
select local_businesses.*
from local_businesses
where local_businesses.id = domains.local_business_id or local_businesses.domain = domains.domain
order by local_businesses.id = domains.local_business_id desc nulls last, local_businesses.created_at
limit 1
