// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/contact/BodyPair.h>

#include <algorithm>
#include <softcontact/contact/vertex_share.hpp>

namespace softcontact::plugin {

std::uint64_t BodyPair::ordinal(const std::string& models)
{
    const auto found = std::find(m_models.begin(), m_models.end(), models);
    const auto ordinal = static_cast<std::uint64_t>(found - m_models.begin());
    if (found == m_models.end()) {
        m_models.push_back(models);
    }
    return ordinal;
}

void BodyPair::beginStep()
{
    m_active.clear();
    for (auto& [cluster, patch] : m_patches) {
        patch.beginStep();
    }
}

void BodyPair::reset()
{
    m_active.clear();
    m_patches.clear();
}

void BodyPair::numberVertices(std::vector<ContactPoint>& points, const std::vector<PatchContact>& contacts)
{
    std::vector<const SurfaceVertices*> surfaces;
    std::size_t total = 0;
    for (const PatchContact& contact : contacts) {
        if (contact.surface != nullptr &&
            std::find(surfaces.begin(), surfaces.end(), contact.surface) == surfaces.end()) {
            surfaces.push_back(contact.surface);
            total += contact.surface->areas.size();
        }
    }
    if (surfaces != m_surfaces || total != m_areas.size()) {
        m_areas.clear();
        m_clusters.clear();
        int first = 0;
        for (const SurfaceVertices* surface : surfaces) {
            m_areas.insert(m_areas.end(), surface->areas.begin(), surface->areas.end());
            int clusters = 0;
            for (const int cluster : surface->clusters) {
                m_clusters.push_back(first + cluster);
                clusters = std::max(clusters, cluster + 1);
            }
            // Surfaces of one patch each join in one; those that are split keep to themselves.
            first += clusters > 1 ? clusters : 0;
        }
        m_touch.assign(total, 0.0);
        m_surfaces = std::move(surfaces);
    }
    // Models over one topology share their vertices, others get numbers of their own.
    for (std::size_t i = 0; i < points.size(); ++i) {
        int base = 0;
        for (const SurfaceVertices* surface : m_surfaces) {
            if (surface == contacts[i].surface) {
                break;
            }
            base += static_cast<int>(surface->areas.size());
        }
        for (int& vertex : points[i].a.vertices) {
            vertex += base;
        }
    }
}

void BodyPair::assemble(std::vector<ContactPoint> points, std::vector<PatchContact> contacts,
                        const PatchSettings& settings)
{
    m_active.clear();
    numberVertices(points, contacts);
    std::vector<char> repeated;
    find_repeated_vertices(points, repeated);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (repeated[i] == 0) {
            points[kept] = points[i];
            contacts[kept++] = contacts[i];
        }
    }
    points.resize(kept);
    contacts.resize(kept);
    if (!m_areas.empty()) {
        share_vertex_areas(points, m_areas, m_touch);
    }
    std::map<int, std::pair<std::vector<ContactPoint>, std::vector<PatchContact>>> clusters;
    for (std::size_t i = 0; i < points.size(); ++i) {
        Index heaviest = 0;
        points[i].a.weights.maxCoeff(&heaviest);
        const int vertex = points[i].a.vertices[static_cast<std::size_t>(heaviest)];
        auto& [some_points, some_contacts] =
            clusters[m_clusters.empty() ? 0 : m_clusters[std::size_t(vertex)]];
        some_points.push_back(points[i]);
        some_contacts.push_back(contacts[i]);
    }
    for (auto& [cluster, content] : clusters) {
        PatchRecord& patch = m_patches[cluster];
        patch.assemble(std::move(content.first), std::move(content.second), settings);
        m_active.push_back(&patch);
    }
}

}  // namespace softcontact::plugin
